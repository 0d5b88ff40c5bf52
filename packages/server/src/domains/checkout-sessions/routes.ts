import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Door, Visit } from '../../platform/http/doors.ts'
import { fingerprintOf, readKey, scopeOf } from '../../platform/http/idempotency.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { ConfirmWithCard, ConfirmWithToken, OpenByLink } from './schema/confirm.ts'
import { PublicSessionObject, presentPublic, type SessionView } from './schema/public.ts'
import { presentReceipt } from './schema/receipt.ts'
import {
  CheckoutSessionObject,
  CheckoutSessionPath,
  CreateCheckoutSession,
  ListCheckoutSessions,
  present,
  presentOpened,
} from './schema.ts'
import { comparableCard, confirmSession, confirmWithCard } from './service/confirm.ts'
import { openByLink, requireSecret } from './service/open.ts'
import { callerOfPayer, requireOwn, requireSlug } from './service/payer.ts'
import { showReceipt } from './service/receipt.ts'
import { showSession } from './service/show.ts'
import {
  createCheckoutSession,
  expireCheckoutSession,
  getCheckoutSession,
  listCheckoutSessions,
} from './service.ts'
import type { Press } from './session.ts'

export const checkoutSessionOperations = (deps: Deps) => [
  ...operationsForServers(deps),
  ...operationsForPages(deps),
]

const operationsForServers = (deps: Deps) => [
  operation({
    id: 'checkout_sessions.create',
    method: 'POST',
    path: '/checkout-sessions',
    summary: 'Create a checkout session',
    description:
      'For one payer, within 24 hours: send them to `url`, or pay on a page of your own with `client_secret`. Both are shown once.',
    body: CreateCheckoutSession,
    status: 201,
    answer: CheckoutSessionObject,
    refuses: ['reference_not_found'],
    shownOnce: ['url', 'client_secret'],
    present: presentOpened,
    version: ({ session }) => session.version,
    verb: ({ caller, body }) => createCheckoutSession(deps, caller, body),
  }),
  operation({
    id: 'checkout_sessions.list',
    method: 'GET',
    path: '/checkout-sessions',
    summary: 'List checkout sessions',
    description: 'Newest first, or those of one payment link.',
    query: PageQuery(ListCheckoutSessions),
    answer: PageOf(CheckoutSessionObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/checkout-sessions', present),
    verb: ({ caller, query }) =>
      listCheckoutSessions(deps, caller, rangeOf('checkout_session', caller.mode, query), query),
  }),
  operation({
    id: 'checkout_sessions.get',
    method: 'GET',
    path: '/checkout-sessions/:checkout_session_id',
    summary: 'Get a checkout session',
    description: 'Answers one session, with what became of it and the payment that was made in it.',
    params: CheckoutSessionPath,
    answer: CheckoutSessionObject,
    refuses: ['not_found'],
    present,
    version: (session) => session.version,
    verb: ({ caller, params }) => getCheckoutSession(deps, caller, params.checkout_session_id),
  }),
  operation({
    id: 'checkout_sessions.expire',
    method: 'POST',
    path: '/checkout-sessions/:checkout_session_id/expire',
    summary: 'Expire a checkout session',
    description: 'Nobody can pay in it any more. One that is being paid at this moment cannot be expired.',
    params: CheckoutSessionPath,
    answer: CheckoutSessionObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (session) => session.version,
    verb: ({ caller, params }) => expireCheckoutSession(deps, caller, params.checkout_session_id),
  }),
]

const secret = { 'checkout-secret': 'The `client_secret` of the session.' }

/** For pages of merchants, with a publishable token and the secret of the session. */
const operationsForPages = (deps: Deps) => [
  operation({
    id: 'public_checkout_sessions.get',
    method: 'GET',
    path: '/checkout-sessions/:checkout_session_id/public',
    summary: 'Get a checkout session as its payer sees it',
    description:
      'For the page of the payer, with the secret of the session. It leaves out what is none of their business.',
    params: CheckoutSessionPath,
    headers: secret,
    answer: PublicSessionObject,
    refuses: ['not_found'],
    present: (view: SessionView, { caller }) => presentPublic(view, caller.mode),
    verb: ({ caller, params, headers }) =>
      showSession(deps, caller, requireOwn(deps, caller, params.checkout_session_id, headers)),
  }),
  operation({
    id: 'public_checkout_sessions.confirm',
    method: 'POST',
    path: '/checkout-sessions/:checkout_session_id/confirm',
    summary: 'Pay in a checkout session',
    description:
      'Once: whoever presses twice, or in two tabs, meets the payment that is under way. A payment that is declined is no error: the session is `open` again, and its `payment` says why. Send a new `Idempotency-Key` with each press.',
    params: CheckoutSessionPath,
    headers: secret,
    body: ConfirmWithToken,
    answer: PublicSessionObject,
    refuses: [
      ...([
        'not_found',
        'checkout_secret_invalid',
        'invalid_state',
        'no_places_left',
        'too_many_tries',
      ] as const),
      ...(['reference_not_found', 'conflict'] as const),
    ],
    present: (view: SessionView, { caller }) => presentPublic(view, caller.mode),
    verb: ({ caller, params, headers, address, body }) => {
      const session = requireOwn(deps, caller, params.checkout_session_id, headers)
      return confirmSession(deps, caller, { session, address, press: pressOf(caller) }, body)
    },
  }),
]

/** Sent with a key: which press it is. */
function pressOf({ request }: Caller): Press | null {
  const replay = request?.replay ?? null
  if (replay === null) return null
  return { scope: replay.scope.toString('base64'), fingerprint: replay.fingerprint.toString('base64') }
}

/** For our own page, which has no token: an address of a link, or a session and its secret, is all it needs. */
export const checkoutSessionDoors = (deps: Deps): readonly Door[] => [
  {
    method: 'POST',
    path: '/checkout/links/:slug/sessions',
    takes: OpenByLink,
    open: async (visit) => {
      const { mode, params, input } = visit
      const { workspaceId, id } = requireSlug(deps, mode, params.slug ?? '')
      const caller = callerOfPayer(visit, { workspaceId, id })
      const { session, secret: client_secret } = await openByLink(deps, caller, id, input as OpenByLink)
      const view = await showSession(deps, caller, { workspaceId, id: session.id })
      return { is: 'json', status: 201, body: { ...presentPublic(view, mode), client_secret } }
    },
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:checkout_session_id',
    open: async (visit) => {
      const session = sessionOf(deps, visit)
      const view = await showSession(deps, callerOfPayer(visit, session), session)
      return { is: 'json', body: presentPublic(view, visit.mode) }
    },
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:checkout_session_id/receipt',
    open: async (visit) => {
      const session = sessionOf(deps, visit)
      const { view, receipt } = await showReceipt(deps, callerOfPayer(visit, session), session)
      const { seller } = view
      return {
        is: 'json',
        body: presentReceipt(receipt, { seller, email: view.session.payer?.email ?? null }),
      }
    },
  },
  {
    method: 'POST',
    path: '/checkout/sessions/:checkout_session_id/confirm',
    takes: ConfirmWithCard,
    open: async (visit) => {
      const { mode, address } = visit
      const session = sessionOf(deps, visit)
      const input = visit.input as ConfirmWithCard
      const pressing = { session, address, press: pressOfVisit(visit, session, input) }
      const view = await confirmWithCard(deps, callerOfPayer(visit, session), pressing, input)
      return { is: 'json', body: presentPublic(view, mode) }
    },
  },
]

function sessionOf(deps: Deps, { mode, params, headers }: Visit) {
  const proof = { id: params.checkout_session_id ?? '', secret: headers['checkout-secret'] ?? '' }
  return requireSecret(deps, mode, proof)
}

function pressOfVisit(
  { headers }: Visit,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  input: ConfirmWithCard,
): Press | null {
  const key = readKey(headers['idempotency-key'])
  if (key === null) return null
  const scope = scopeOf({ workspaceId, holder: '', operation: 'checkout.confirm', params: { id }, key })
  const fingerprint = fingerprintOf({ query: {}, body: comparableCard(input), version: '' })
  return { scope: scope.toString('base64'), fingerprint: fingerprint.toString('base64') }
}
