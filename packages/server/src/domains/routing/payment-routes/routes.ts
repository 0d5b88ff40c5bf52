import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { Revision, RouteHead } from './payment-route.ts'
import { DefinitionBody } from './schema/definition.ts'
import {
  CreatePaymentRoute,
  DeletedRoute,
  DiffObject,
  DiffQuery,
  LintResult,
  PaymentRouteObject,
  PaymentRoutePath,
  present,
  presentDeleted,
  presentDiff,
  presentLint,
  presentRevision,
  presentSaved,
  RevisionObject,
  RevisionPath,
  SavedRouteObject,
  UpdatePaymentRoute,
} from './schema.ts'
import { lintPaymentRoute } from './service/lint.ts'
import {
  diffRouteRevisions,
  getRouteRevision,
  listRouteRevisions,
  publishRouteRevision,
} from './service/revisions.ts'
import {
  archivePaymentRoute,
  createPaymentRoute,
  deletePaymentRoute,
  getPaymentRoute,
  listPaymentRoutes,
  updatePaymentRoute,
} from './service.ts'

const path = '/payment-routes/:payment_route_id'
const version = (route: RouteHead) => route.version

export const paymentRouteOperations = (deps: Deps) => [
  ...crudOperations(deps),
  ...removalOperations(deps),
  ...revisionOperations(deps),
  ...lintOperations(deps),
]

const crudOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.create',
    method: 'POST',
    path: '/payment-routes',
    summary: 'Create a payment route',
    description:
      'Publishes the first revision, or saves it as a draft if `draft` is true. Lint findings are in the response; errors prevent publication. A workspace can have at most 100 routes that are not archived.',
    body: CreatePaymentRoute,
    status: 201,
    response: SavedRouteObject,
    errors: ['conflict', 'limit_reached', 'route_invalid'],
    present: presentSaved,
    version,
    handle: ({ caller, body }) => createPaymentRoute(deps, caller, body),
  }),
  operation({
    id: 'payment_routes.list',
    method: 'GET',
    path: '/payment-routes',
    summary: 'List payment routes',
    description: 'Returns payment routes, newest first, each with its published revision.',
    query: PageQuery({}),
    response: PageOf(PaymentRouteObject),
    errors: ['invalid_cursor'],
    present: presentPage('/payment-routes', present),
    handle: ({ caller, query }) =>
      listPaymentRoutes(deps, caller, rangeOf('payment_route', caller.mode, query)),
  }),
  operation({
    id: 'payment_routes.get',
    method: 'GET',
    path,
    summary: 'Get a payment route',
    description: 'Returns the published revision of a payment route.',
    params: PaymentRoutePath,
    response: PaymentRouteObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getPaymentRoute(deps, caller, params.payment_route_id),
  }),
  operation({
    id: 'payment_routes.update',
    method: 'PUT',
    path,
    summary: 'Update a payment route',
    description:
      'Omitted fields keep the value of the newest revision; each field that is sent is replaced as a whole. A change to the definition creates and publishes a new revision, or saves it as a draft if `draft` is true. With `if_revision`, the change is made only if no newer revision has been saved.',
    params: PaymentRoutePath,
    body: UpdatePaymentRoute,
    response: SavedRouteObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'version_mismatch', 'route_invalid'],
    takesIfMatch: true,
    present: presentSaved,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePaymentRoute(deps, caller, params.payment_route_id, { ...body, ifMatch }),
  }),
]

const removalOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.archive',
    method: 'POST',
    path: `${path}/archive`,
    summary: 'Archive a payment route',
    description: 'The route is not used for new payments. The default route cannot be archived.',
    params: PaymentRoutePath,
    response: PaymentRouteObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => archivePaymentRoute(deps, caller, params.payment_route_id),
  }),
  operation({
    id: 'payment_routes.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a payment route',
    description:
      'Deletes a route that was never published. Archive any other route, because payments may have used it.',
    params: PaymentRoutePath,
    response: DeletedRoute,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present: presentDeleted,
    handle: ({ caller, params }) => deletePaymentRoute(deps, caller, params.payment_route_id),
  }),
]

const revisionOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.revisions',
    method: 'GET',
    path: `${path}/revisions`,
    summary: 'List the revisions of a payment route',
    description:
      'Returns the revisions of a route, newest first, including drafts and revisions that were published before.',
    params: PaymentRoutePath,
    query: PageQuery({}),
    response: PageOf(RevisionObject),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Page<Revision>, { params }) =>
      presentPage(`/payment-routes/${params.payment_route_id}/revisions`, presentRevision)(page),
    handle: ({ caller, params, query }) => {
      const range = rangeOf('payment_route_revision', caller.mode, query)
      return listRouteRevisions(deps, caller, params.payment_route_id, range)
    },
  }),
  operation({
    id: 'payment_routes.revision',
    method: 'GET',
    path: `${path}/revisions/:revision`,
    summary: 'Get a revision of a payment route',
    description: 'Returns one revision of a payment route.',
    params: RevisionPath,
    response: RevisionObject,
    errors: ['not_found'],
    present: presentRevision,
    handle: ({ caller, params }) => getRouteRevision(deps, caller, params.payment_route_id, params.revision),
  }),
  operation({
    id: 'payment_routes.diff',
    method: 'GET',
    path: `${path}/revisions/:revision/diff`,
    summary: 'Compare two revisions of a payment route',
    description: 'Returns the differences between a revision and `against`, as text and as JSON pointers.',
    params: RevisionPath,
    query: DiffQuery,
    response: DiffObject,
    errors: ['not_found'],
    present: presentDiff,
    handle: ({ caller, params, query }) =>
      diffRouteRevisions(deps, caller, params.payment_route_id, {
        revision: params.revision,
        against: query.against,
      }),
  }),
  operation({
    id: 'payment_routes.publish',
    method: 'POST',
    path: `${path}/revisions/:revision/publish`,
    summary: 'Publish a revision of a payment route',
    description:
      'All processes use the revision for new payments within two seconds: for payments that name this route and, if the route is the default, for payments that name none. To publish the newest revision and make the route the default in one call, update the route with `draft: false` and `is_default: true`. A revision that is older than the published one is copied to a new revision: this is how you roll back.',
    params: RevisionPath,
    response: SavedRouteObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'route_invalid'],
    present: presentSaved,
    version,
    handle: ({ caller, params }) =>
      publishRouteRevision(deps, caller, params.payment_route_id, params.revision),
  }),
]

const lintOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.lint',
    method: 'POST',
    path: '/payment-routes/lint',
    summary: 'Lint a payment route',
    description: 'Checks a route definition for mistakes. Nothing is saved.',
    body: DefinitionBody,
    response: LintResult,
    errors: ['conflict'],
    present: presentLint,
    handle: ({ caller, body }) => lintPaymentRoute(deps, caller, body),
  }),
]
