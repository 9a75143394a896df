# What people and CI run; CONTRIBUTING.md says more. One crate only: make test SCOPE="-p varbind-codec"

CARGO ?= cargo
SCOPE ?= --workspace
TARGET := $(or $(CARGO_TARGET_DIR),target)
RESULTS := bench-results
STUDY := study-results

export CARGO

# What a build needs besides Rust: OpenSSL's library for DTLS.
BUILD_PACKAGES := cc:gcc pkg-config:pkg-config openssl.pc:libssl-dev
TEST_PACKAGES := snmpget:snmp snmpd:snmpd snmptrapd:snmptrapd netconfd:netconfd tshark:tshark ip:iproute2 python3:python3-venv \
	openssl:openssl ssh:openssh-client sshd:openssh-server curl:curl chromium:chromium smidump:smitools yanglint:libyang-tools \
	lldpd:lldpd keepalived:keepalived prometheus:prometheus influxd:influxdb nats-server:nats-server squid:squid \
	prometheus-snmp-exporter:prometheus-snmp-exporter \
	/usr/lib/nagios/plugins/check_snmp:monitoring-plugins-standard \
	/usr/lib/nagios/plugins/check_snmp_load.pl:nagios-snmp-plugins

# What make install installs; PROGRAMS=varbind leaves the laboratory out.
PROGRAMS := varbind varbind-lab
# COMPAT=1 adds links that have the names of Net-SNMP's tools and behave as these.
COMPAT :=
NET_SNMP_TOOLS := $(addprefix snmp,get getnext bulkget set walk bulkwalk table translate trap inform status df delta usm vacm)
packages = $(addprefix -p ,$(patsubst varbind,varbind-cli,$(1)))
LABORATORY := $(call packages,varbind varbind-lab)
# The crates with the feature experiments.
EXPERIMENTAL := $(addprefix -p ,varbind-codec varbind-engine varbind varbind-web varbind-agent varbind-collector varbind-cli varbind-lab)
bash_completion = bash-completion/completions/$(1)
zsh_completion = zsh/site-functions/_$(1)
fish_completion = fish/vendor_completions.d/$(1).fish

# Where make install puts the programs; DESTDIR is for packages.
PREFIX := /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share

PACKAGES := packages

.PHONY: help check test bench study publish package package-test docs reference install uninstall toolchain components

help:
	@echo 'make test    install what the tests need, where allowed, and run them'
	@echo 'make bench   measure the agent beside Net-SNMP anew and write a report to $(RESULTS)/'
	@echo 'make study   measure what five papers measured again, and write a report to $(STUDY)/'
	@echo 'make publish   measure again all figures of README.md and docs/results.md, on a quiet machine'
	@echo 'make install install the programs, their manual pages and completions below PREFIX=$(PREFIX);'
	@echo '             COMPAT=1 adds links named snmpget, snmpwalk and so on'
	@echo 'make package builds .deb, .rpm, .tar.gz and an OCI image into $(PACKAGES)/; make package-test tries them'
	@echo 'make docs    build the documentation as a site in $(TARGET)/book/'
	@echo 'make check   formatting, lints, documentation, licences and sources of dependencies'

check: components
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy $(SCOPE) --all-targets --locked -- -D warnings
ifeq ($(SCOPE),--workspace)
	$(CARGO) clippy $(EXPERIMENTAL) --features experiments,kafka,nats,openssl-tls,pam,parquet,post-quantum --all-targets --locked -- \
		-D warnings
	scripts/check-small-builds
	scripts/check-packages
	scripts/check-docs
	scripts/check-msrv
endif
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc $(SCOPE) --no-deps --locked
	scripts/check-dependencies

test: toolchain
	@scripts/install-packages $(TEST_PACKAGES)
	@scripts/run-tests $(SCOPE)

bench: toolchain
	@scripts/install-packages snmpd:snmpd snmpget:snmp ip:iproute2
	$(CARGO) build --release --locked $(LABORATORY)
	@mkdir -p $(RESULTS)
	rm -f $(RESULTS)/manifest.json $(RESULTS)/observations.jsonl
	$(TARGET)/release/varbind bench --compare net-snmp --out $(RESULTS)
	@echo 'report: $(RESULTS)/index.html (the same as data: results.json, results.csv, repetitions.csv)'

# A directory of its own: what is installed has no experiments, and bench measures what is installed.
study: toolchain
	@scripts/install-packages snmpd:snmpd snmpget:snmp snmptrapd:snmptrapd netconfd:netconfd sshd:openssh-server ip:iproute2
	$(CARGO) build --release --locked $(LABORATORY) --features experiments,openssl-tls --target-dir $(TARGET)/laboratory
	$(TARGET)/laboratory/release/varbind study run all $(STUDY_OPTIONS) --out $(STUDY)
	@echo 'report: $(STUDY)/index.html (the same as data: results.json, results.csv, repetitions.csv)'

# Measures all figures of README and docs/results.md, and keeps the observations beside them.
publish: STUDY_OPTIONS := --quick --stop-at-precision 3% --within 100
publish: bench study
	$(TARGET)/laboratory/release/varbind study publish $(STUDY) --out docs/published --page docs/results.md $(PUBLISH_OPTIONS)
	$(TARGET)/release/varbind study publish $(RESULTS) --out docs/published/bench $(PUBLISH_OPTIONS)
	VARBIND_WRITE_REFERENCE=1 $(CARGO) test --locked -p varbind-lab --test study_report published

# Packages of the program varbind: docs/install.md.
package: toolchain
	@scripts/install-packages strip:binutils
	$(CARGO) build --release --locked $(call packages,varbind)
	scripts/build-portable
	scripts/make-packages $(PACKAGES)

# The life of what make package built, in namespaces.
package-test:
	@scripts/install-packages rpm:rpm
	scripts/test-package $(PACKAGES)/*.deb
	scripts/test-package $(PACKAGES)/*.rpm
	scripts/test-tarball $(PACKAGES)/*.tar.gz
	scripts/test-image $(PACKAGES)/*.oci.tar

docs:
	@command -v mdbook >/dev/null || { \
		echo 'mdbook is missing: cargo install mdbook --version 0.5.4 --locked' >&2; exit 1; }
	mdbook build --dest-dir $(abspath $(TARGET))/book
	@echo 'site: $(TARGET)/book/index.html'

# Pages below docs/reference, and the diagrams: made from the code, and compared with it by tests.
reference: toolchain
	scripts/draw-diagrams
	VARBIND_WRITE_REFERENCE=1 $(CARGO) test --locked -p varbind-agent --lib reference
	VARBIND_WRITE_REFERENCE=1 $(CARGO) test --locked -p varbind-cli -p varbind-lab --bins documentation

# Builds as whoever calls it: with sudo, build first (cargo build --release -p varbind-cli -p varbind-lab).
install: toolchain
	$(CARGO) build --release --locked $(call packages,$(PROGRAMS))
	rm -rf $(TARGET)/man
	$(foreach program,$(PROGRAMS),$(call install_program,$(program)))
ifneq ($(COMPAT),)
	for tool in $(NET_SNMP_TOOLS); do ln -sf varbind $(DESTDIR)$(PREFIX)/bin/$$tool || exit; done
endif

define install_program
	install -D -m 755 $(TARGET)/release/$(1) $(DESTDIR)$(PREFIX)/bin/$(1)
	$(TARGET)/release/$(1) man $(TARGET)/man/$(1)
	install -d $(SHARE)/man/man1 $(addprefix $(SHARE)/,$(dir $(call bash_completion) $(call zsh_completion) $(call fish_completion)))
	install -m 644 $(TARGET)/man/$(1)/*.1 $(SHARE)/man/man1
	$(TARGET)/release/$(1) completions bash >$(SHARE)/$(call bash_completion,$(1))
	$(TARGET)/release/$(1) completions zsh >$(SHARE)/$(call zsh_completion,$(1))
	$(TARGET)/release/$(1) completions fish >$(SHARE)/$(call fish_completion,$(1))

endef

uninstall:
	rm -f $(SHARE)/man/man1/varbind.1 $(SHARE)/man/man1/varbind-*.1
	$(foreach program,varbind varbind-lab,$(call uninstall_program,$(program)))
	for tool in $(NET_SNMP_TOOLS); do link=$(DESTDIR)$(PREFIX)/bin/$$tool; \
		if [ "$$(readlink $$link)" = varbind ]; then rm -f $$link; fi; done

define uninstall_program
	rm -f $(DESTDIR)$(PREFIX)/bin/$(1) $(SHARE)/$(call bash_completion,$(1)) $(SHARE)/$(call zsh_completion,$(1)) \
		$(SHARE)/$(call fish_completion,$(1))

endef

toolchain:
	@scripts/install-packages $(BUILD_PACKAGES)
	@command -v $(CARGO) >/dev/null || { \
		echo 'no Rust toolchain found: install one as https://rustup.rs says, then run make again' >&2; exit 1; }
	@command -v cc >/dev/null || { \
		echo 'no C compiler found, which Rust needs to link: install the package gcc, then run make again' >&2; exit 1; }
	@pkg-config --exists openssl || { \
		echo 'no OpenSSL to build with: install the packages libssl-dev and pkg-config, then run make again' >&2; exit 1; }

components: toolchain
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 || { \
		echo 'rustfmt or clippy is missing: rustup component add rustfmt clippy' >&2; exit 1; }
