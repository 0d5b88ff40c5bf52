/**
 * Operations on cancellation requests, and the public pages on which subscribers submit and confirm them. The pages
 * use no cookie, so another site cannot act for the subscriber.
 */
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../kernel/errors.ts'
import { preferredLanguage } from '../../../kernel/hosted-page.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRequest, PublicRoute } from '../../../platform/http/public-routes.ts'
import { formFrom } from './cancellation-request.ts'
import {
  AcceptCancellationRequest,
  CancellationRequestObject,
  CancellationRequestPath,
  ListCancellationRequests,
  present,
  RejectCancellationRequest,
} from './schema.ts'
import {
  callerForPayer,
  requirePage,
  requireRequest,
  showConfirmation,
  showForm,
  showStart,
  submitConfirmation,
  submitForm,
} from './service/pages.ts'
import { acceptRequest, getRequest, listRequests, rejectRequest } from './service.ts'

export const cancellationRequestOperations = (deps: Deps) => [
  operation({
    id: 'cancellation_requests.list',
    method: 'GET',
    path: '/cancellation-requests',
    summary: 'List cancellation requests',
    description:
      'Returns the cancellations and withdrawals that subscribers submitted on the public page, newest first. Can be filtered by status.',
    query: PageQuery(ListCancellationRequests),
    response: PageOf(CancellationRequestObject),
    errors: ['invalid_cursor'],
    present: presentPage('/cancellation-requests', present),
    handle: ({ caller, query }) =>
      listRequests(deps, caller, rangeOf('cancellation_request', caller.mode, query), query),
  }),
  operation({
    id: 'cancellation_requests.get',
    method: 'GET',
    path: '/cancellation-requests/:cancellation_request_id',
    summary: 'Get a cancellation request',
    description: 'Returns what the subscriber submitted, and the status of the request.',
    params: CancellationRequestPath,
    response: CancellationRequestObject,
    errors: ['not_found'],
    present,
    version: (request) => request.version,
    handle: ({ caller, params }) => getRequest(deps, caller, params.cancellation_request_id),
  }),
  operation({
    id: 'cancellation_requests.accept',
    method: 'POST',
    path: '/cancellation-requests/:cancellation_request_id/accept',
    summary: 'Accept a cancellation request',
    description:
      'Cancels the subscription, completes the request, and e-mails the customer when the subscription ends. Refund a withdrawal separately.',
    params: CancellationRequestPath,
    body: AcceptCancellationRequest,
    response: CancellationRequestObject,
    errors: ['not_found', 'invalid_state', 'preview_stale', 'conflict', 'test_clock_advancing'],
    present,
    version: (request) => request.version,
    handle: ({ caller, params, body }) => acceptRequest(deps, caller, params.cancellation_request_id, body),
  }),
  operation({
    id: 'cancellation_requests.reject',
    method: 'POST',
    path: '/cancellation-requests/:cancellation_request_id/reject',
    summary: 'Reject a cancellation request',
    description: 'Closes the request without changing a subscription. The subscriber is not notified.',
    params: CancellationRequestPath,
    body: RejectCancellationRequest,
    response: CancellationRequestObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (request) => request.version,
    handle: ({ caller, params, body }) => rejectRequest(deps, caller, params.cancellation_request_id, body),
  }),
]

const localeOf = ({ headers }: PublicRequest) => preferredLanguage(headers['accept-language'])

const typeOf = ({ params }: PublicRequest) =>
  params.type === 'cancellation' || params.type === 'withdrawal'
    ? params.type
    : refuse('not_found', { detail: 'There is no such page.' })

export const cancellationRequestPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  ...declarationRoutes(deps),
  ...confirmationRoutes(deps),
]

const declarationRoutes = (deps: Deps): readonly PublicRoute[] => {
  const callerOf = (request: PublicRequest) =>
    callerForPayer(request, requirePage(deps, request.mode, request.params.slug ?? ''))
  return [
    {
      method: 'GET',
      path: '/k/:slug',
      handle: async (request) => ({
        kind: 'html',
        html: await showStart(deps, callerOf(request), localeOf(request)),
      }),
    },
    {
      method: 'GET',
      path: '/k/:slug/:type',
      handle: async (request) => {
        const form = formFrom(typeOf(request), request.query)
        return { kind: 'html', html: await showForm(deps, callerOf(request), localeOf(request), form) }
      },
    },
    {
      method: 'POST',
      path: '/k/:slug/:type',
      takesForm: true,
      handle: async (request) => {
        const form = formFrom(typeOf(request), request.query)
        const submission = { form, address: request.address, locale: localeOf(request) }
        return { kind: 'html', html: await submitForm(deps, callerOf(request), submission) }
      },
    },
  ]
}

const confirmationRoutes = (deps: Deps): readonly PublicRoute[] => {
  const identify = (request: PublicRequest) => {
    const ref = requireRequest(deps, request.mode, request.params.request_slug ?? '')
    return { ref, caller: callerForPayer(request, ref) }
  }
  return [
    {
      method: 'GET',
      path: '/kc/:request_slug',
      handle: async (request) => {
        const { ref, caller } = identify(request)
        const options = { locale: localeOf(request), isStale: false }
        return { kind: 'html', html: await showConfirmation(deps, caller, ref, options) }
      },
    },
    {
      method: 'POST',
      path: '/kc/:request_slug',
      takesForm: true,
      handle: async (request) => {
        const { ref, caller } = identify(request)
        const locale = localeOf(request)
        const token = request.query.preview_token ?? ''
        const html = await submitConfirmation(deps, caller, ref, { locale, token })
        if (html !== null) return { kind: 'html', html }
        return { kind: 'html', html: await showConfirmation(deps, caller, ref, { locale, isStale: true }) }
      },
    },
  ]
}
