//! What is where.

use std::cell::RefCell;
use std::convert::Infallible;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use tower_service::Service;
use varbind::agent::ObjectAccess;
use varbind_engine::applications::command_responder::{ObjectReader, Principal, Workspace};

use crate::access::{Peer, principal};
use crate::body::{Answer, BodyPool};
use crate::schema::Schema;
use crate::server::Limits;
use crate::{metrics, restconf, soap};

/// The resources of the web face.
pub(crate) struct Face {
    router: Router,
}

/// What they are made of.
pub(crate) struct Resources {
    pub(crate) objects: ObjectAccess,
    pub(crate) schema: Schema,
    pub(crate) library: restconf::Library,
    /// Room for the bodies of requests whose sender is known, and of others.
    pub(crate) bodies: BodyPool,
    pub(crate) unauthenticated_bodies: BodyPool,
    limits: Arc<ArcSwap<Limits>>,
}

/// Octets that the bodies of requests may take while they are received.
const BODIES: usize = 64 << 20;
/// As long as their sender is not known.
const UNAUTHENTICATED_BODIES: usize = 4 << 20;

thread_local! {
    /// All connections are served by one thread, and none keeps it across an await.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

impl Resources {
    /// The limits as they are now.
    pub(crate) fn limits(&self) -> Arc<Limits> {
        self.limits.load_full()
    }

    /// Lends what a principal may read to `read`; `None` if it is not authorised at all.
    pub(crate) fn read<T>(
        &self,
        principal: &Principal,
        read: impl FnOnce(&mut ObjectReader<'_>) -> T,
    ) -> Option<T> {
        WORKSPACE.with_borrow_mut(|workspace| self.objects.read(principal, workspace, read))
    }
}

impl Face {
    pub(crate) fn new(objects: ObjectAccess, limits: Arc<ArcSwap<Limits>>) -> Self {
        let roots: Vec<_> = objects.registered_names();
        let roots: Vec<_> = roots.iter().map(|root| root.arcs().to_vec()).collect();
        let schema = Schema::new(&roots, &|object| objects.is_writable(object));
        let resources = Arc::new(Resources {
            objects,
            library: restconf::Library::new(&schema),
            schema,
            bodies: BodyPool::new(BODIES),
            unauthenticated_bodies: BodyPool::new(UNAUTHENTICATED_BODIES),
            limits,
        });
        let router = Router::new()
            .route("/metrics", get(show_metrics))
            .route("/.well-known/host-meta", get(restconf::host_meta))
            .route("/.well-known/host-meta.json", get(restconf::host_meta_json))
            .route("/soap", get(soap::describe).post(soap::call))
            .route(
                &format!("{}/{{file}}", restconf::YANG_PATH),
                get(restconf::yang_module),
            )
            .route("/restconf", any(restconf::answer))
            .route("/restconf/{*path}", any(restconf::answer))
            .with_state(resources);
        Self { router }
    }

    pub(crate) fn answer(
        &self,
        request: Request<Body>,
    ) -> impl Future<Output = Response> + Send + use<> {
        let answer = self.router.clone().call(request);
        async {
            match answer.await {
                Ok::<_, Infallible>(response) => response,
                Err(impossible) => match impossible {},
            }
        }
    }
}

async fn show_metrics(
    State(resources): State<Arc<Resources>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
) -> Response {
    let answer = match principal(&resources.objects, &peer, &headers) {
        Err(_) => Answer::refusal(
            StatusCode::UNAUTHORIZED,
            "name a community that is known here",
        ),
        Ok(principal) => {
            let format = metrics::Format::wanted(&headers);
            let written = resources.read(&principal, |reader| {
                metrics::write(reader, &resources.schema, format)
            });
            match written {
                Some(output) => Answer::ok(format.content_type(), output),
                None => Answer::refusal(StatusCode::FORBIDDEN, "nothing may be read by that name"),
            }
        }
    };
    answer.into_response(&headers)
}
