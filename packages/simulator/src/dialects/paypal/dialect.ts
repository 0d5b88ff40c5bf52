/** PayPal's REST API: access tokens, card payments with Orders v2 and Payments v2, and deletion of saved cards. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import type { Dialect, DialectContext } from '../dialect.ts'
import {
  createToken,
  expiredToken,
  hasKnownClient,
  hasToken,
  isExpired,
  isTokenCall,
} from './access-tokens.ts'
import type { Route } from './calls.ts'
import { errorBody, errorReply } from './errors.ts'
import { completeOrder, createOrder, getOrder } from './orders.ts'
import { changePayment, deletePaymentToken, getPart } from './payments.ts'
import { webhooksOf } from './webhooks.ts'

/** The webhook of the account. Switchyard checks credentials with this call. */
const listWebhooks: Route = ({ account }) => {
  const { credentials, webhook_url: url } = account.config
  const webhook = {
    id: credentials.webhook_id,
    url,
    event_types: [{ name: '*', description: 'ALL' }],
    links: [],
  }
  return { status: 200, body: { webhooks: credentials.webhook_id && url ? [webhook] : [] } }
}

/** The routes by path and method. */
const routes: { readonly [path: string]: { readonly [method: string]: Route } } = {
  'v1/notifications/webhooks': { GET: listWebhooks },
  'v2/checkout/orders': { POST: createOrder },
  'v2/checkout/orders/:id': { GET: getOrder },
  'v2/checkout/orders/:id/capture': { POST: completeOrder('CAPTURE') },
  'v2/checkout/orders/:id/authorize': { POST: completeOrder('AUTHORIZE') },
  'v2/payments/authorizations/:id': { GET: getPart('authorization') },
  'v2/payments/authorizations/:id/capture': { POST: changePayment('capture') },
  'v2/payments/authorizations/:id/void': { POST: changePayment('void') },
  'v2/payments/captures/:id': { GET: getPart('capture') },
  'v2/payments/captures/:id/refund': { POST: changePayment('refund') },
  'v2/payments/refunds/:id': { GET: getPart('refund') },
  'v3/vault/payment-tokens/:id': { DELETE: deletePaymentToken },
}

async function handle(context: DialectContext, call: IncomingCall): Promise<Reply> {
  const reply = await replyTo(context, call)
  // Merchants compare this time with those in the response, which are from the clock of the simulator.
  const date = new Date(context.state.clock.now()).toUTCString()
  return { ...reply, headers: { ...reply.headers, date } }
}

function replyTo(context: DialectContext, call: IncomingCall): Reply | Promise<Reply> {
  if (isTokenCall(call)) return createToken(context, call)
  if (isExpired(context, call)) return expiredToken
  const { method, segments, query } = call
  const path = segments.map((segment, index) => (index === 3 ? ':id' : segment)).join('/')
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (methods === undefined) return errorReply(404)
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (route === undefined) return errorReply(405)
  const [parameter] = query.keys()
  if (parameter !== undefined) return errorReply(400, 'NOT_SUPPORTED', { field: parameter })
  return route(context, call, segments[3] ?? '')
}

export const paypal: Dialect = {
  name: 'paypal',
  isAuthenticated: (account, call) => (isTokenCall(call) ? hasKnownClient : hasToken)(account, call),
  unauthenticated: errorReply(401),
  unavailable: errorReply(503),
  serverError: errorBody(500),
  handle,
  webhooksOf,
  // The payer returns to the merchant, who then captures or authorizes the order.
  endsOnChallengePage: false,
  returnParams: () => ({}),
}
