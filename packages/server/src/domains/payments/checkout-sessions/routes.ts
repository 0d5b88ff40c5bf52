import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { fingerprintOf, readKey, scopeOf } from '../../../platform/http/idempotency.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRequest, PublicRoute } from '../../../platform/http/public-routes.ts'
import {
  CheckPromotionCode,
  ConfirmWithCard,
  ConfirmWithToken,
  EnterLoginCode,
  OpenLink,
  RequestLoginCode,
} from './schema/confirm.ts'
import { PublicSessionObject, presentPublic, type SessionView } from './schema/public.ts'
import { presentReceipt } from './schema/receipt.ts'
import {
  CheckoutSessionObject,
  CheckoutSessionPath,
  CreateCheckoutSession,
  CustomerPath,
  ListCheckoutSessions,
  present,
  presentCreated,
  UpdatePaymentMethodLink,
} from './schema.ts'
import { changeMethod } from './service/change-method.ts'
import { comparableRequest, confirmSession, confirmWithCard } from './service/confirm.ts'
import { buildSaleOfLink, openLink, requireSecret } from './service/open.ts'
import { createCardUpdateLink } from './service/open-card-update.ts'
import { callerForPayer, requireSessionOfCaller, requireSlug } from './service/payer.ts'
import { checkPromotionCode, type Promotion, saleOfSession } from './service/promotion-code.ts'
import { showReceipt } from './service/receipt.ts'
import {
  type EnteredCode,
  enterLoginCode,
  pageOfLink,
  pageOfSession,
  type RequestedCode,
  requestLoginCode,
} from './service/saved-cards.ts'
import { fieldsChoiceOf, showSession } from './service/show.ts'
import {
  createCheckoutSession,
  expireCheckoutSession,
  getCheckoutSession,
  listCheckoutSessions,
} from './service.ts'
import type { ConfirmationKey } from './session.ts'

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
      'Creates a session for one payer, valid for up to 24 hours. Redirect the payer to `url`, or use `client_secret` on your own payment page. Both are returned only once.',
    body: CreateCheckoutSession,
    status: 201,
    response: CheckoutSessionObject,
    errors: [
      'reference_not_found',
      'raw_cards_disabled',
      'price_inactive',
      'mixed_interval',
      'discount_not_applicable',
    ],
    shownOnce: ['url', 'client_secret'],
    present: presentCreated,
    version: ({ session }) => session.version,
    handle: ({ caller, body }) => createCheckoutSession(deps, caller, body),
  }),
  operation({
    id: 'customers.update_payment_method_link',
    method: 'POST',
    path: '/customers/:customer_id/update-payment-method-link',
    summary: 'Create a link for a customer to replace their card',
    description:
      'Creates a checkout session of the mode `setup`, valid for 7 days. Send its `url` to the customer. When the customer has entered a card, it becomes the card of their subscriptions, or of one subscription, and the oldest overdue invoice is charged to it. `url` and `client_secret` are returned only once.',
    params: CustomerPath,
    body: UpdatePaymentMethodLink,
    status: 201,
    response: CheckoutSessionObject,
    errors: ['not_found', 'reference_not_found', 'raw_cards_disabled'],
    shownOnce: ['url', 'client_secret'],
    present: presentCreated,
    version: ({ session }) => session.version,
    handle: ({ caller, params, body }) => createCardUpdateLink(deps, caller, params.customer_id, body),
  }),
  operation({
    id: 'checkout_sessions.list',
    method: 'GET',
    path: '/checkout-sessions',
    summary: 'List checkout sessions',
    description: 'Returns checkout sessions, newest first. Can be filtered by payment link.',
    query: PageQuery(ListCheckoutSessions),
    response: PageOf(CheckoutSessionObject),
    errors: ['invalid_cursor'],
    present: presentPage('/checkout-sessions', present),
    handle: ({ caller, query }) =>
      listCheckoutSessions(deps, caller, rangeOf('checkout_session', caller.mode, query), query),
  }),
  operation({
    id: 'checkout_sessions.get',
    method: 'GET',
    path: '/checkout-sessions/:checkout_session_id',
    summary: 'Get a checkout session',
    description: 'Returns a session with its status and its latest payment.',
    params: CheckoutSessionPath,
    response: CheckoutSessionObject,
    errors: ['not_found'],
    present,
    version: (session) => session.version,
    handle: ({ caller, params }) => getCheckoutSession(deps, caller, params.checkout_session_id),
  }),
  operation({
    id: 'checkout_sessions.expire',
    method: 'POST',
    path: '/checkout-sessions/:checkout_session_id/expire',
    summary: 'Expire a checkout session',
    description:
      'Prevents further payments in the session. A session with a payment in progress cannot be expired.',
    params: CheckoutSessionPath,
    response: CheckoutSessionObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (session) => session.version,
    handle: ({ caller, params }) => expireCheckoutSession(deps, caller, params.checkout_session_id),
  }),
]

const secret = { 'checkout-secret': 'The `client_secret` of the session.' }

/** For merchant pages, with a publishable token and the secret of the session. */
const operationsForPages = (deps: Deps) => [
  operation({
    id: 'public_checkout_sessions.get',
    method: 'GET',
    path: '/checkout-sessions/:checkout_session_id/public',
    summary: 'Get the public view of a checkout session',
    description:
      'For the payment page, with the client secret of the session. Returns only what the payer may see.',
    params: CheckoutSessionPath,
    headers: secret,
    response: PublicSessionObject,
    errors: ['not_found'],
    present: (view: SessionView, { caller }) => presentPublic(view, caller.mode),
    handle: ({ caller, params, headers }) =>
      showSession(deps, caller, requireSessionOfCaller(deps, caller, params.checkout_session_id, headers)),
  }),
  operation({
    id: 'public_checkout_sessions.confirm',
    method: 'POST',
    path: '/checkout-sessions/:checkout_session_id/confirm',
    summary: 'Confirm a checkout session',
    description:
      'Creates the payment. Concurrent or repeated calls return the payment that is already in progress. A declined payment is not an error: the session becomes `open` again, and `payment` contains the failure. Send a new `Idempotency-Key` each time the payer submits the form.',
    params: CheckoutSessionPath,
    headers: secret,
    body: ConfirmWithToken,
    response: PublicSessionObject,
    errors: [
      'not_found',
      'checkout_secret_invalid',
      'raw_cards_disabled',
      'invalid_state',
      'payment_in_progress',
      'no_places_left',
      'too_many_tries',
      'reference_not_found',
      'conflict',
    ],
    present: (view: SessionView, { caller }) => presentPublic(view, caller.mode),
    handle: ({ caller, params, headers, address, body }) => {
      const session = requireSessionOfCaller(deps, caller, params.checkout_session_id, headers)
      return confirmSession(deps, caller, { session, address, key: confirmationKeyOf(caller) }, body)
    },
  }),
]

/** A repeated confirmation has the same idempotency key. */
function confirmationKeyOf({ request }: Caller): ConfirmationKey | null {
  const replay = request?.replay ?? null
  if (replay === null) return null
  return { scope: replay.scope.toString('base64'), fingerprint: replay.fingerprint.toString('base64') }
}

/**
 * For the hosted page, which has no API token: it sends the slug of a link, or a session id and its secret.
 */
export const checkoutSessionPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: '/checkout/links/:slug/sessions',
    bodySchema: OpenLink,
    handle: async (request) => {
      const { mode, params, input } = request
      const link = requireSlug(deps, mode, params.slug ?? '')
      const caller = callerForPayer(request, link)
      const { session, secret: client_secret } = await openLink(deps, caller, link, input as OpenLink)
      const view = await showSession(deps, caller, session)
      return { kind: 'json', status: 201, body: { ...presentPublic(view, mode), client_secret } }
    },
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:checkout_session_id',
    handle: async (request) => {
      const session = requireSessionOfRequest(deps, request)
      const choice = fieldsChoiceOf(request.query)
      const view = await showSession(deps, callerForPayer(request, session), session, choice)
      return { kind: 'json', body: presentPublic(view, request.mode) }
    },
  },
  {
    method: 'GET',
    path: '/checkout/sessions/:checkout_session_id/receipt',
    handle: async (request) => {
      const session = requireSessionOfRequest(deps, request)
      const { view, receipt } = await showReceipt(deps, callerForPayer(request, session), session)
      const { seller } = view
      return {
        kind: 'json',
        body: presentReceipt(receipt, { seller, email: view.session.payer?.email ?? null }),
      }
    },
  },
  {
    method: 'POST',
    path: '/checkout/sessions/:checkout_session_id/confirm',
    bodySchema: ConfirmWithCard,
    handle: async (request) => {
      const { mode, address } = request
      const session = requireSessionOfRequest(deps, request)
      const input = request.input as ConfirmWithCard
      const confirmation = {
        session,
        address,
        userAgent: request.headers['user-agent']?.slice(0, maxHeaderLength),
        acceptHeader: request.headers.accept?.slice(0, maxHeaderLength),
        key: confirmationKeyOfRequest(request, session, input),
      }
      const view = await confirmWithCard(deps, callerForPayer(request, session), confirmation, input)
      return { kind: 'json', body: presentPublic(view, mode) }
    },
  },
  ...loginCodeRoutes(deps, '/checkout/links/:slug', async (request) => {
    const link = requireSlug(deps, request.mode, request.params.slug ?? '')
    return { caller: callerForPayer(request, link), page: await pageOfLink(deps, link) }
  }),
  ...loginCodeRoutes(deps, '/checkout/sessions/:checkout_session_id', async (request) => {
    const session = requireSessionOfRequest(deps, request)
    const caller = callerForPayer(request, session)
    return { caller, page: await pageOfSession(deps, caller, session) }
  }),
  ...promotionCodeRoutes(deps),
  {
    method: 'POST',
    path: '/checkout/sessions/:checkout_session_id/change-method',
    handle: async (request) => {
      const session = requireSessionOfRequest(deps, request)
      const view = await changeMethod(deps, callerForPayer(request, session), session)
      return { kind: 'json', body: presentPublic(view, request.mode) }
    },
  },
]

/** What a payer would pay with a promotion code. Nothing is reserved before a payment begins. */
const promotionCodeRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: '/checkout/links/:slug/promotion-code',
    bodySchema: CheckPromotionCode,
    handle: async (request) => {
      const link = requireSlug(deps, request.mode, request.params.slug ?? '')
      const { promotion_code: code, quantities, ...choice } = request.input as CheckPromotionCode
      const sale = await buildSaleOfLink(deps, link, choice)
      const { address } = request
      const checked = { code, quantities, amount: choice.amount, payer: null, address }
      const caller = callerForPayer(request, link)
      return { kind: 'json', body: presentPromotion(await checkPromotionCode(deps, caller, sale, checked)) }
    },
  },
  {
    method: 'POST',
    path: '/checkout/sessions/:checkout_session_id/promotion-code',
    bodySchema: CheckPromotionCode,
    handle: async (request) => {
      const session = requireSessionOfRequest(deps, request)
      const caller = callerForPayer(request, session)
      const { promotion_code: code, quantities, amount } = request.input as CheckPromotionCode
      const sale = await saleOfSession(deps, caller, session)
      const { address } = request
      const checked = { code, quantities, amount, payer: null, address }
      return { kind: 'json', body: presentPromotion(await checkPromotionCode(deps, caller, sale, checked)) }
    },
  },
]

const presentPromotion = ({ discount: { name }, amount, off, recurring }: Promotion) => ({
  object: 'promotion',
  name,
  amount: Number(amount),
  discount: Number(off),
  recurring_amount: recurring === null ? null : Number(recurring),
})

type PayerPage = { readonly caller: Caller; readonly page: Parameters<typeof requestLoginCode>[2] }

/** With a code from an e-mail, payers prove that they are a customer whose saved cards the page may show. */
const loginCodeRoutes = (
  deps: Deps,
  path: string,
  identify: (request: PublicRequest) => Promise<PayerPage>,
): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: `${path}/login-codes`,
    bodySchema: RequestLoginCode,
    handle: async (request) => {
      const { caller, page } = await identify(request)
      const { email } = request.input as RequestLoginCode
      const { address } = request
      const requested = await requestLoginCode(deps, caller, page, { email, address })
      return { kind: 'json', status: 201, body: presentRequested(requested) }
    },
  },
  {
    method: 'POST',
    path: `${path}/login-codes/:login_code_id`,
    bodySchema: EnterLoginCode,
    handle: async (request) => {
      const { caller, page } = await identify(request)
      const { code } = request.input as EnterLoginCode
      const { login_code_id: id = '' } = request.params
      return { kind: 'json', body: presentEntered(await enterLoginCode(deps, caller, page, { id, code })) }
    },
  },
]

const presentRequested = ({ id, expiresAt }: RequestedCode) => ({
  object: 'login_code',
  id,
  expires_at: expiresAt.toISOString(),
})

const presentEntered = ({ payerSecret, cards }: EnteredCode) => ({
  object: 'payer',
  payer_secret: payerSecret,
  cards,
})

/** Longer request headers are cut before they are stored. */
const maxHeaderLength = 2_048

function requireSessionOfRequest(deps: Deps, { mode, params, headers }: PublicRequest) {
  const credentials = { id: params.checkout_session_id ?? '', secret: headers['checkout-secret'] ?? '' }
  return requireSecret(deps, mode, credentials)
}

function confirmationKeyOfRequest(
  { headers }: PublicRequest,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  input: ConfirmWithCard,
): ConfirmationKey | null {
  const key = readKey(headers['idempotency-key'])
  if (key === null) return null
  const scope = scopeOf({ workspaceId, holder: '', operation: 'checkout.confirm', params: { id }, key })
  const fingerprint = fingerprintOf({ query: {}, body: comparableRequest(input), version: '' })
  return { scope: scope.toString('base64'), fingerprint: fingerprint.toString('base64') }
}
