//! The functions of libpam that an application needs (pam(3)), loaded on first use, so that a server without PAM needs no
//! libpam.
#![expect(
    unsafe_code,
    reason = "libpam is a library of C, and is loaded at run time"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::mem::size_of;
use std::ptr;
use std::sync::OnceLock;

use zeroize::Zeroize;

/// Linux-PAM has had this number since its beginning; what is called here has not changed since.
const LIBRARY: &CStr = c"libpam.so.0";

/// A result that is not PAM_SUCCESS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(c_int);

// <security/_pam_types.h> of Linux-PAM.
const PAM_SUCCESS: c_int = 0;
const PAM_BUF_ERR: c_int = 5;
const PAM_NEW_AUTHTOK_REQD: c_int = 12;
const PAM_CONV_ERR: c_int = 19;
const PAM_SILENT: c_int = 0x8000;
const PAM_DISALLOW_NULL_AUTHTOK: c_int = 0x0001;
const PAM_USER: c_int = 2;
const PAM_TTY: c_int = 3;
const PAM_RHOST: c_int = 4;
const PAM_FAIL_DELAY: c_int = 10;
const PAM_PROMPT_ECHO_OFF: c_int = 1;
const PAM_ERROR_MSG: c_int = 3;
const PAM_TEXT_INFO: c_int = 4;
/// PAM_MAX_NUM_MSG.
const MOST_MESSAGES: c_int = 32;

#[repr(C)]
struct Message {
    style: c_int,
    text: *const c_char,
}

#[repr(C)]
struct Response {
    text: *mut c_char,
    code: c_int,
}

type Converse = extern "C" fn(c_int, *mut *const Message, *mut *mut Response, *mut c_void) -> c_int;

#[repr(C)]
struct Conversation {
    converse: Converse,
    data: *mut c_void,
}

/// A `pam_handle_t`.
#[repr(C)]
struct Handle {
    _private: [u8; 0],
}

type Start = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const Conversation,
    *mut *mut Handle,
) -> c_int;
type End = unsafe extern "C" fn(*mut Handle, c_int) -> c_int;
type Step = unsafe extern "C" fn(*mut Handle, c_int) -> c_int;
type SetItem = unsafe extern "C" fn(*mut Handle, c_int, *const c_void) -> c_int;
type Item = unsafe extern "C" fn(*const Handle, c_int, *mut *const c_void) -> c_int;
type Explain = unsafe extern "C" fn(*mut Handle, c_int) -> *const c_char;

/// libpam, which stays loaded.
pub(super) struct Library {
    start: Start,
    end: End,
    authenticate: Step,
    check_account: Step,
    set_item: SetItem,
    item: Item,
    explain: Explain,
}

impl Library {
    /// Loads it, if it is not loaded.
    pub(super) fn load() -> Result<&'static Self, &'static str> {
        static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
        let library = LIBRARY.get_or_init(Self::find);
        library
            .as_ref()
            .ok_or("the host has no libpam.so.0: install it, on Debian the package libpam0g")
    }

    fn find() -> Option<Self> {
        // SAFETY: the name ends with a zero. The library has no initialisation that minds when it runs.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return None;
        }
        let find = |name: &CStr| {
            // SAFETY: the library is open and is never closed; the name ends with a zero.
            let address = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        // SAFETY: libpam has functions of these types by these names (pam_start(3), pam_end(3), pam_authenticate(3),
        // pam_acct_mgmt(3), pam_set_item(3), pam_get_item(3), pam_strerror(3)), and no address is null.
        unsafe {
            Some(Self {
                start: std::mem::transmute::<*mut c_void, Start>(find(c"pam_start")?),
                end: std::mem::transmute::<*mut c_void, End>(find(c"pam_end")?),
                authenticate: std::mem::transmute::<*mut c_void, Step>(find(c"pam_authenticate")?),
                check_account: std::mem::transmute::<*mut c_void, Step>(find(c"pam_acct_mgmt")?),
                set_item: std::mem::transmute::<*mut c_void, SetItem>(find(c"pam_set_item")?),
                item: std::mem::transmute::<*mut c_void, Item>(find(c"pam_get_item")?),
                explain: std::mem::transmute::<*mut c_void, Explain>(find(c"pam_strerror")?),
            })
        }
    }
}

/// A password where C can read it, which is zeroized.
struct Password(Vec<u8>);

impl Password {
    /// `None` if C would see only its beginning.
    fn new(text: &str) -> Option<Self> {
        if text.contains('\0') {
            return None;
        }
        let mut octets = Vec::with_capacity(text.len() + 1);
        octets.extend_from_slice(text.as_bytes());
        octets.push(0);
        Some(Self(octets))
    }
}

impl Drop for Password {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The check of one user, from `pam_start` to `pam_end`.
pub(super) struct Transaction<'l> {
    library: &'l Library,
    /// Not null.
    handle: *mut Handle,
    last: c_int,
    /// What `answer` reads; the handle refers to it.
    _password: Box<Option<Password>>,
    /// The handle belongs to the thread that made it.
    _of_one_thread: PhantomData<*mut ()>,
}

impl<'l> Transaction<'l> {
    pub(super) fn start(
        library: &'l Library,
        service: &str,
        user: &str,
        password: Option<&str>,
    ) -> Result<Self, &'static str> {
        let zero = "a name has a zero in it";
        let service = CString::new(service).map_err(|_| zero)?;
        let user = CString::new(user).map_err(|_| zero)?;
        let password = match password {
            Some(text) => Some(Password::new(text).ok_or("the password has a zero in it")?),
            None => None,
        };
        let password = Box::new(password);
        let conversation = Conversation {
            converse: answer,
            data: ptr::from_ref::<Option<Password>>(&password)
                .cast_mut()
                .cast(),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: the texts end with zero, and are copied, as is `conversation`. `data` in it is in a box that lives as long as
        // the handle: it is dropped after `pam_end`, which Drop calls. `handle` may be written to.
        let last = unsafe {
            (library.start)(
                service.as_ptr(),
                user.as_ptr(),
                &raw const conversation,
                &raw mut handle,
            )
        };
        if last != PAM_SUCCESS || handle.is_null() {
            return Err("the service cannot be started: look at /etc/pam.d/varbind");
        }
        let transaction = Self {
            library,
            handle,
            last,
            _password: password,
            _of_one_thread: PhantomData,
        };
        // The server delays wrong passwords itself, without delaying other logins. Older libraries lack this item.
        let no_delay: extern "C" fn(c_int, c_uint, *mut c_void) = do_not_wait;
        let _ = transaction.set(PAM_FAIL_DELAY, no_delay as *const c_void);
        Ok(transaction)
    }

    fn set(&self, item: c_int, value: *const c_void) -> Result<(), Code> {
        // SAFETY: the handle is live. Texts are copied, and functions stay where they are.
        result(unsafe { (self.library.set_item)(self.handle, item, value) })
    }

    /// Tells modules from where the user comes.
    pub(super) fn set_remote_host(&mut self, host: &str) -> Result<(), Code> {
        let host = CString::new(host).map_err(|_| Code(PAM_BUF_ERR))?;
        self.set(PAM_RHOST, host.as_ptr().cast())?;
        // As OpenSSH's server has it: some modules refuse who has no terminal.
        self.set(PAM_TTY, c"ssh".as_ptr().cast())
    }

    pub(super) fn authenticate(&mut self) -> Result<(), Code> {
        let flags = PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK;
        // SAFETY: the handle is live, and used by this thread alone.
        self.last = unsafe { (self.library.authenticate)(self.handle, flags) };
        result(self.last)
    }

    pub(super) fn check_account(&mut self) -> Result<(), Code> {
        let flags = PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK;
        // SAFETY: the handle is live, and used by this thread alone.
        self.last = unsafe { (self.library.check_account)(self.handle, flags) };
        result(self.last)
    }

    /// Who the user is by now.
    pub(super) fn user(&self) -> Option<String> {
        let mut text: *const c_void = ptr::null();
        // SAFETY: the handle is live, and `text` may be written to.
        let code = unsafe { (self.library.item)(self.handle, PAM_USER, &raw mut text) };
        if code != PAM_SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: PAM_USER is a text that ends with zero and belongs to the handle; it is copied before anything else is called.
        let text = unsafe { CStr::from_ptr(text.cast()) };
        text.to_str().ok().map(str::to_owned)
    }

    /// What a result means.
    pub(super) fn explanation(&self, code: Code) -> String {
        if code.0 == PAM_NEW_AUTHTOK_REQD {
            return "the password has expired, and must be changed on the host".to_owned();
        }
        // SAFETY: the handle is live; what is returned is a constant text, or null.
        let text = unsafe { (self.library.explain)(self.handle, code.0) };
        if text.is_null() {
            return format!("error {}", code.0);
        }
        // SAFETY: it is not null, and ends with zero.
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and not used again.
        unsafe { (self.library.end)(self.handle, self.last) };
    }
}

const fn result(code: c_int) -> Result<(), Code> {
    match code {
        PAM_SUCCESS => Ok(()),
        code => Err(Code(code)),
    }
}

extern "C" fn do_not_wait(_: c_int, _: c_uint, _: *mut c_void) {}

/// Answers what modules ask: the password where it would not be shown, and nothing else, as OpenSSH's server does for a client
/// that sends a password.
extern "C" fn answer(
    count: c_int,
    messages: *mut *const Message,
    responses: *mut *mut Response,
    data: *mut c_void,
) -> c_int {
    let Ok(number) = usize::try_from(count) else {
        return PAM_CONV_ERR;
    };
    if number == 0 || count > MOST_MESSAGES || messages.is_null() || responses.is_null() {
        return PAM_CONV_ERR;
    }
    // SAFETY: `data` is what `start` gave: a box that outlives the handle, and is only read.
    let password = unsafe { data.cast::<Option<Password>>().as_ref() };
    let password = password.and_then(Option::as_ref);
    // SAFETY: any sizes will do; what is allocated is zero, which is a `Response` without a text.
    let answers = unsafe { libc::calloc(number, size_of::<Response>()) }.cast::<Response>();
    if answers.is_null() {
        return PAM_BUF_ERR;
    }
    for place in 0..number {
        // SAFETY: Linux-PAM gives `number` pointers to messages one behind the other.
        let style = unsafe { (*messages.add(place)).as_ref() }.map(|message| message.style);
        let text = match (style, password) {
            (Some(PAM_PROMPT_ECHO_OFF), Some(password)) => {
                // SAFETY: the password ends with a zero.
                let copy = unsafe { libc::strdup(password.0.as_ptr().cast()) };
                if copy.is_null() { None } else { Some(copy) }
            }
            (Some(PAM_TEXT_INFO | PAM_ERROR_MSG), _) => Some(ptr::null_mut()),
            _ => None,
        };
        match text {
            // SAFETY: `answers` has room for `number` of them.
            Some(text) => unsafe { (*answers.add(place)).text = text },
            None => {
                // SAFETY: it was allocated above with this number, and nobody else knows of it.
                unsafe { forget_answers(answers, number) };
                return PAM_CONV_ERR;
            }
        }
    }
    // SAFETY: it is not null; from now on the answers belong to the library, which frees them with `free`.
    unsafe { *responses = answers };
    PAM_SUCCESS
}

/// Zeroizes and frees answers that are not passed on.
///
/// # Safety
/// `answers` are `number` responses that were allocated with `calloc`, with texts that are null or from `strdup`.
unsafe fn forget_answers(answers: *mut Response, number: usize) {
    for place in 0..number {
        // SAFETY: as the caller promises.
        let text = unsafe { (*answers.add(place)).text };
        if !text.is_null() {
            // SAFETY: the text ends with zero, is nobody else's, and is not used again.
            unsafe {
                let length = libc::strlen(text);
                std::slice::from_raw_parts_mut(text.cast::<u8>(), length).zeroize();
                libc::free(text.cast());
            }
        }
    }
    // SAFETY: as the caller promises.
    unsafe { libc::free(answers.cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converse_with(
        styles: &[c_int],
        password: Option<&str>,
    ) -> Result<Vec<Option<String>>, c_int> {
        let password = Box::new(password.map(|text| Password::new(text).unwrap()));
        let messages: Vec<Message> = styles
            .iter()
            .map(|style| Message {
                style: *style,
                text: c"?".as_ptr(),
            })
            .collect();
        let mut pointers: Vec<*const Message> = messages.iter().map(ptr::from_ref).collect();
        let mut responses: *mut Response = ptr::null_mut();
        let code = answer(
            c_int::try_from(styles.len()).unwrap(),
            pointers.as_mut_ptr(),
            &raw mut responses,
            ptr::from_ref::<Option<Password>>(&password)
                .cast_mut()
                .cast(),
        );
        if code != PAM_SUCCESS {
            assert!(responses.is_null());
            return Err(code);
        }
        let texts = (0..styles.len()).map(|place| {
            // SAFETY: there are as many answers as messages, with texts that are null or end with zero.
            unsafe {
                let text = (*responses.add(place)).text;
                (!text.is_null()).then(|| CStr::from_ptr(text).to_str().unwrap().to_owned())
            }
        });
        let texts = texts.collect();
        // SAFETY: they came from `answer` with this number.
        unsafe { forget_answers(responses, styles.len()) };
        Ok(texts)
    }

    #[test]
    fn passwords_are_the_answer_to_questions_for_secrets_alone() {
        const ECHO_ON: c_int = 2;
        let secret = Some("hunter2".to_owned());
        assert_eq!(
            converse_with(&[PAM_PROMPT_ECHO_OFF], Some("hunter2")),
            Ok(vec![secret.clone()])
        );
        let styles = [PAM_TEXT_INFO, PAM_PROMPT_ECHO_OFF, PAM_ERROR_MSG];
        assert_eq!(
            converse_with(&styles, Some("hunter2")),
            Ok(vec![None, secret, None])
        );
        for styles in [&[ECHO_ON][..], &[PAM_PROMPT_ECHO_OFF, ECHO_ON], &[7], &[]] {
            assert_eq!(converse_with(styles, Some("hunter2")), Err(PAM_CONV_ERR));
        }
        assert_eq!(
            converse_with(&[PAM_PROMPT_ECHO_OFF], None),
            Err(PAM_CONV_ERR)
        );
        assert!(Password::new("with\0zero").is_none());
    }
}
