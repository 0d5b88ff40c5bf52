/** Adyen's Checkout API, version 72, and its Disputes API: authentication and routes. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { isObject } from '../../protocol.ts'
import type { Dialect, DialectContext } from '../dialect.ts'
import { handleDisputeCall, isDisputeCall } from './disputes.ts'
import { serviceError, unauthorized } from './errors.ts'
import { cancelByReference, type ModificationPath, modifyPayment } from './modifications.ts'
import { completePayment, createPayment, redirectResultOf } from './payments.ts'
import { deleteStoredCard, listPaymentMethods, listStoredCards } from './stored-cards.ts'
import { disputeWebhooks, webhooksOf } from './webhooks.ts'

type Route = (context: DialectContext, call: IncomingCall, id: string) => Reply | Promise<Reply>

const modification =
  (path: ModificationPath): Route =>
  (context, call, pspReference) =>
    modifyPayment(context, call, { path, pspReference })

const routes: { readonly [call: string]: Route } = {
  'POST /payments': createPayment,
  'POST /payments/details': completePayment,
  'POST /payments/:id/captures': modification('captures'),
  'POST /payments/:id/cancels': modification('cancels'),
  'POST /payments/:id/refunds': modification('refunds'),
  'POST /payments/:id/reversals': modification('reversals'),
  'POST /cancels': cancelByReference,
  'POST /paymentMethods': listPaymentMethods,
  'GET /storedPaymentMethods': listStoredCards,
  'DELETE /storedPaymentMethods/:id': deleteStoredCard,
}

const notFound = serviceError(404, '000', 'HTTP Status Response - Not Found')
const notJson = serviceError(415, '000', 'HTTP Status Response - Unsupported Media Type')
const invalidJson = serviceError(400, '702', 'Unexpected input: expected a JSON object')
const internalError = { status: 500, errorCode: '900', message: 'Internal error', errorType: 'internal' }

function handle(context: DialectContext, call: IncomingCall): Reply | Promise<Reply> {
  const { method, segments, headers, body } = call
  if (isDisputeCall(call)) return handleDisputeCall(context, call)
  const [version, noun = '', second, third] = segments
  if (version !== 'v72' || segments.length > 4) return notFound
  const hasId = second !== undefined && second !== 'details'
  const path = [noun, hasId ? ':id' : second, third].filter((segment) => segment !== undefined).join('/')
  const route = routes[`${method} /${path}`]
  if (route === undefined) return notFound
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) return notJson
  if (method === 'POST' && !isObject(body)) return invalidJson
  return route(context, call, second ?? '')
}

export const adyen: Dialect = {
  name: 'adyen',
  isAuthenticated: ({ config }, { headers }) => {
    const { api_key: key = '' } = config.credentials
    return key !== '' && headers['x-api-key'] === key
  },
  unauthenticated: unauthorized,
  unavailable: serviceError(503, '900', 'Service unavailable', 'internal'),
  serverError: internalError,
  handle,
  webhooksOf,
  disputeWebhooks,
  endsOnChallengePage: false,
  returnParams: (_context, operation) => ({ redirectResult: redirectResultOf(operation) }),
}
