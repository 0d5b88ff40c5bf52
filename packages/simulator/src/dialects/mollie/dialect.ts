/** Mollie's API v2 with an API key: payments by card, iDEAL, Bancontact and PayPal, captures, refunds, customers and mandates. */
import type { IncomingCall } from '../../incoming.ts'
import type { Dialect, DialectContext } from '../dialect.ts'
import { baseOf, ok, type Route, unauthenticated, unavailable } from './calls.ts'
import { createCustomer, getCustomer, getMandate, listMandates, revokeMandate } from './customers.ts'
import { errorBody, errorReply, notFound } from './errors.ts'
import { cardMethodObject } from './objects.ts'
import { createPart, getPart, listParts } from './parts.ts'
import { cancelPayment, createPayment, getPayment, listPayments, releaseAuthorization } from './payments.ts'
import { webhooksOf } from './webhooks.ts'

const getMethod: Route = (context, _call, [id = '']) =>
  id === 'creditcard' ? ok(cardMethodObject(baseOf(context))) : notFound(id)

/** The routes by path and method. */
const routes: { readonly [path: string]: { readonly [method: string]: Route } } = {
  payments: { POST: createPayment, GET: listPayments },
  'payments/:id': { GET: getPayment, DELETE: cancelPayment },
  'payments/:id/release-authorization': { POST: releaseAuthorization },
  'payments/:id/captures': { POST: createPart('capture'), GET: listParts('capture') },
  'payments/:id/captures/:id': { GET: getPart('capture') },
  'payments/:id/refunds': { POST: createPart('refund'), GET: listParts('refund') },
  'payments/:id/refunds/:id': { GET: getPart('refund') },
  customers: { POST: createCustomer },
  'customers/:id': { GET: getCustomer },
  'customers/:id/mandates': { GET: listMandates },
  'customers/:id/mandates/:id': { GET: getMandate, DELETE: revokeMandate },
  'methods/:id': { GET: getMethod },
}

function handle(context: DialectContext, call: IncomingCall) {
  const [version, ...segments] = call.segments
  const path = segments.map((segment, index) => (index % 2 === 0 ? segment : ':id')).join('/')
  const methods = version === 'v2' && Object.hasOwn(routes, path) ? routes[path] : undefined
  if (methods === undefined) return errorReply(404, 'The requested resource does not exist')
  const route = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined
  if (route === undefined) return errorReply(405, `The method ${call.method} is not allowed here`)
  return route(
    context,
    call,
    segments.filter((_, index) => index % 2 === 1),
  )
}

export const mollie: Dialect = {
  name: 'mollie',
  isAuthenticated: ({ config }, { headers }) => {
    const key = config.credentials.api_key ?? ''
    return key.startsWith('test_') && headers.authorization === `Bearer ${key}`
  },
  unauthenticated,
  unavailable,
  serverError: errorBody(500, 'An internal error occurred'),
  handle,
  webhooksOf,
  // The payer completes the payment on Mollie's page, and the return URL gets no parameters.
  endsOnChallengePage: true,
  returnParams: () => ({}),
}
