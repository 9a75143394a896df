//! The routes of the web services.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use arc_swap::ArcSwap;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use axum::routing::get;
use tower_service::Service;
use varbind::agent::ObjectAccess;

use crate::access::{Peer, principal};
use crate::body::Answer;
use crate::limits::Limits;
use crate::resources::Resources;
#[cfg(feature = "experiments")]
use crate::soap;
use crate::{metrics, restconf};

/// The resources of the web services.
pub(crate) struct Routes {
    router: Router,
}

impl Routes {
    pub(crate) fn new(
        objects: ObjectAccess,
        limits: Arc<ArcSwap<Limits>>,
        certificate_end: Arc<AtomicI64>,
    ) -> Self {
        let resources = Arc::new(Resources::new(objects, limits, certificate_end));
        let router = Router::new().route("/metrics", get(show_metrics));
        #[cfg(feature = "experiments")]
        let router = router.route("/soap", get(soap::describe).post(soap::call));
        let router = router
            .with_state(Arc::clone(&resources))
            .merge(restconf::routes(resources));
        Self { router }
    }

    /// Resources of another program.
    pub(crate) const fn of(router: Router) -> Self {
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
                let end = resources.certificate_end();
                metrics::write(reader, &resources.schema, end, format)
            });
            match written {
                Some(output) => Answer::ok(format.content_type(), output),
                None => Answer::refusal(StatusCode::FORBIDDEN, "nothing may be read by that name"),
            }
        }
    };
    answer.into_response(&headers)
}
