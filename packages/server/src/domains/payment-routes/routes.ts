import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
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
  ...settingOperations(deps),
  ...endOperations(deps),
  ...revisionOperations(deps),
  ...trialOperations(deps),
]

const settingOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.create',
    method: 'POST',
    path: '/payment-routes',
    summary: 'Create a payment route',
    description:
      'Publishes its first revision, or with `draft` only saves it. What the lint finds is in the answer; an error keeps it from being published. A workspace has at most 100 that are not archived.',
    body: CreatePaymentRoute,
    status: 201,
    answer: SavedRouteObject,
    refuses: ['conflict', 'limit_reached', 'route_invalid'],
    present: presentSaved,
    version,
    verb: ({ caller, body }) => createPaymentRoute(deps, caller, body),
  }),
  operation({
    id: 'payment_routes.list',
    method: 'GET',
    path: '/payment-routes',
    summary: 'List payment routes',
    description: 'Newest first. Each is shown as it is published.',
    query: PageQuery({}),
    answer: PageOf(PaymentRouteObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/payment-routes', present),
    verb: ({ caller, query }) =>
      listPaymentRoutes(deps, caller, rangeOf('payment_route', caller.mode, query)),
  }),
  operation({
    id: 'payment_routes.get',
    method: 'GET',
    path,
    summary: 'Get a payment route',
    description: 'Answers one route as it is published.',
    params: PaymentRoutePath,
    answer: PaymentRouteObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getPaymentRoute(deps, caller, params.payment_route_id),
  }),
  operation({
    id: 'payment_routes.update',
    method: 'PUT',
    path,
    summary: 'Change a payment route',
    description:
      'Members that are not sent stay as the newest revision has them; each that is sent is replaced as a whole. A change of what the route says makes a new revision and publishes it, or with `draft` only saves it. With `if_revision` it is made only if nobody has saved another one meanwhile.',
    params: PaymentRoutePath,
    body: UpdatePaymentRoute,
    answer: SavedRouteObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'version_mismatch', 'route_invalid'],
    takesIfMatch: true,
    present: presentSaved,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updatePaymentRoute(deps, caller, params.payment_route_id, { ...body, ifMatch }),
  }),
]

const endOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.archive',
    method: 'POST',
    path: `${path}/archive`,
    summary: 'Archive a payment route',
    description: 'No new payments are made by it. The default route cannot be archived.',
    params: PaymentRoutePath,
    answer: PaymentRouteObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => archivePaymentRoute(deps, caller, params.payment_route_id),
  }),
  operation({
    id: 'payment_routes.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a payment route',
    description: 'One that was never published. Payments may have been made by any other: archive it.',
    params: PaymentRoutePath,
    answer: DeletedRoute,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present: presentDeleted,
    verb: ({ caller, params }) => deletePaymentRoute(deps, caller, params.payment_route_id),
  }),
]

const revisionOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.revisions',
    method: 'GET',
    path: `${path}/revisions`,
    summary: 'List the revisions of a payment route',
    description: 'Newest first: drafts, what is published, and what was.',
    params: PaymentRoutePath,
    query: PageQuery({}),
    answer: PageOf(RevisionObject),
    refuses: ['not_found', 'invalid_cursor'],
    present: (page: Page<Revision>, { params }) =>
      presentPage(`/payment-routes/${params.payment_route_id}/revisions`, presentRevision)(page),
    verb: ({ caller, params, query }) => {
      const range = rangeOf('payment_route_revision', caller.mode, query)
      return listRouteRevisions(deps, caller, params.payment_route_id, range)
    },
  }),
  operation({
    id: 'payment_routes.revision',
    method: 'GET',
    path: `${path}/revisions/:revision`,
    summary: 'Get a revision of a payment route',
    description: 'Answers the route as it was saved under that number.',
    params: RevisionPath,
    answer: RevisionObject,
    refuses: ['not_found'],
    present: presentRevision,
    verb: ({ caller, params }) => getRouteRevision(deps, caller, params.payment_route_id, params.revision),
  }),
  operation({
    id: 'payment_routes.diff',
    method: 'GET',
    path: `${path}/revisions/:revision/diff`,
    summary: 'Compare two revisions of a payment route',
    description: 'What makes the revision differ from `against`, in words and by JSON pointers.',
    params: RevisionPath,
    query: DiffQuery,
    answer: DiffObject,
    refuses: ['not_found'],
    present: presentDiff,
    verb: ({ caller, params, query }) =>
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
      'Payments are made by it from now on, in every process within two seconds. A revision that is older than the one that is published is copied to a new one: that is how to roll back.',
    params: RevisionPath,
    answer: SavedRouteObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'route_invalid'],
    present: presentSaved,
    version,
    verb: ({ caller, params }) =>
      publishRouteRevision(deps, caller, params.payment_route_id, params.revision),
  }),
]

const trialOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.lint',
    method: 'POST',
    path: '/payment-routes/lint',
    summary: 'Look for mistakes in a payment route',
    description: 'Saves nothing.',
    body: DefinitionBody,
    answer: LintResult,
    refuses: ['conflict'],
    present: presentLint,
    verb: ({ caller, body }) => lintPaymentRoute(deps, caller, body),
  }),
]
