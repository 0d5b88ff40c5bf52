/** Checkout.com: the Payments API with cards, tokens and instruments. */
import { randomUUID } from 'node:crypto'
import { latencyOf } from '../../config.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { isObject } from '../../protocol.ts'
import { type Account, findObject, type Operation } from '../../simulator-state.ts'
import type { Dialect, DialectContext } from '../dialect.ts'
import { withIdempotencyKey } from '../idempotency.ts'
import { requestAction } from './action-requests.ts'
import { instrumentProblems, tokenProblems } from './checks.ts'
import {
  duplicateRequest,
  invalid,
  notAllowed,
  notFound,
  unauthorized,
  unavailable,
  unsupportedMediaType,
} from './errors.ts'
import { idOf } from './ids.ts'
import { actionList, paymentDetails, timeOf } from './objects.ts'
import { requestPayment } from './payment-requests.ts'
import { actionsOf, findPayment, paymentOfOperation, searchPayments } from './payments.ts'
import {
  createToken,
  deleteInstrument,
  findSource,
  instrumentCard,
  storeInstrument,
  useToken,
} from './vault.ts'
import { webhooksOf } from './webhooks.ts'

const idempotencyMs = 24 * 3_600_000

export const checkoutCom: Dialect = {
  name: 'checkout_com',
  isAuthenticated,
  unauthenticated: unauthorized,
  unavailable,
  serverError: { error_type: 'processing_error', error_codes: ['service_unavailable'] },
  handle: async (context, call) => {
    const { headers, ...reply } = await handle(context, call)
    return { ...reply, headers: { 'cko-request-id': randomUUID(), 'cko-version': '1.0.0', ...headers } }
  },
  webhooksOf,
  endsOnChallengePage: true,
  returnParams: ({ account }, { reference }) => ({ 'cko-session-id': idOf('sid', account, reference) }),
  returnUrl: (context, operation) => returnUrl(context, operation),
}

/** The SDK sends the public key, with which tokens are created, without `Bearer`. */
function isAuthenticated({ config }: Account, { headers, segments }: IncomingCall): boolean {
  const { secret_key: secret = '', public_key: key = secret.replace(/^sk_/, 'pk_') } = config.credentials
  const sent = headers.authorization ?? ''
  if (secret === '') return false
  return segments[0] === 'tokens' ? sent === key || sent === `Bearer ${key}` : sent === `Bearer ${secret}`
}

function returnUrl(
  context: Parameters<typeof paymentOfOperation>[0],
  { reference, request, challenge }: Operation,
) {
  const failureUrl = paymentOfOperation(context, reference)?.payment.failureUrl ?? null
  return challenge?.result === 'failed' ? failureUrl : (request?.return_url ?? null)
}

async function handle(context: DialectContext, call: IncomingCall): Promise<Reply> {
  const { state, account } = context
  const { method, segments, headers, bytes } = call
  const isJson = /^application\/json(;|$)/.test(headers['content-type'] ?? '')
  if (method === 'POST' && bytes.length > 0 && !isJson) return unsupportedMediaType
  const [noun, id = '', verb] = segments
  if (method === 'GET') await state.clock.sleep(latencyOf(account.config, id))
  const route = routes[[method, noun, id === '' ? '' : ':id', verb ?? ''].join(' ').trim()]
  return route === undefined || segments.length > 3 ? notFound : route(context, call, id)
}

type Route = (context: DialectContext, call: IncomingCall, id: string) => Reply | Promise<Reply>

const routes: { readonly [call: string]: Route } = {
  'POST payments': (context, call) => once(context, call, () => requestPayment(context, call)),
  'GET payments': listPayments,
  'GET payments :id': getPayment,
  'GET payments :id actions': ({ state, account }, _call, id) => {
    const view = findPayment({ state, account }, id)
    if (view === null) return notFound
    return { status: 200, body: actionList(account, view, actionsOf(account, view.payment)) }
  },
  'POST payments :id captures': (context, call, id) =>
    once(context, call, () => runAction(context, call, id, 'capture')),
  'POST payments :id voids': (context, call, id) =>
    once(context, call, () => runAction(context, call, id, 'void')),
  'POST payments :id refunds': (context, call, id) =>
    once(context, call, () => runAction(context, call, id, 'refund')),
  'POST tokens': postToken,
  'POST instruments': postInstrument,
  'GET instruments :id': (context, _call, id) => {
    const card = instrumentCard(context, id)
    return card === null ? notFound : { status: 200, body: { id, ...card } }
  },
  'DELETE instruments :id': (context, _call, id) =>
    deleteInstrument(context, id) ? { status: 204 } : notFound,
}

/** Only successful responses are stored, and they are returned even if the repeated request has different content. */
function once(context: DialectContext, { headers }: IncomingCall, run: () => Promise<Reply>): Promise<Reply> {
  const key = headers['cko-idempotency-key']?.toString() ?? ''
  if (key === '') return run()
  const isStored = ({ status, responseMode }: Reply) => status < 300 && responseMode !== 'server_error'
  const inProgress = duplicateRequest()
  const request = { key, content: '', windowMs: idempotencyMs, conflict: inProgress, inProgress, isStored }
  return withIdempotencyKey(context, request, run)
}

function runAction(
  context: DialectContext,
  call: IncomingCall,
  id: string,
  kind: 'capture' | 'void' | 'refund',
) {
  const view = findPayment(context, id)
  return view === null ? Promise.resolve(notFound) : requestAction(context, call, { view, kind })
}

/**
 * Returns a payment by its id, or for 15 minutes by the id of its session. Only a response by session id
 * contains the actions.
 */
function getPayment(context: DialectContext, _call: IncomingCall, id: string): Reply {
  const { state, account } = context
  const session = findObject(account, `session/${id}`) as { payment: string; expiresAt: number } | undefined
  if (session !== undefined && session.expiresAt <= state.clock.now()) return notFound
  const view = findPayment(context, session?.payment ?? id)
  if (view === null) return notFound
  const details = paymentDetails(view)
  if (session === undefined) return { status: 200, body: details }
  return { status: 200, body: { ...details, actions: summaries(account, view) } }
}

function summaries(account: Account, view: Parameters<typeof actionList>[1]): readonly object[] {
  const list = actionList(account, view, actionsOf(account, view.payment)) as { [name: string]: unknown }[]
  return list.map(({ id, type, response_code, response_summary }) => ({
    id,
    type,
    response_code,
    response_summary,
  }))
}

const searchMembers = ['limit', 'skip', 'reference']

function listPayments(context: DialectContext, { query }: IncomingCall): Reply {
  const reference = query.get('reference') ?? ''
  const [limit, skip] = [Number(query.get('limit') ?? 10), Number(query.get('skip') ?? 0)]
  const isPage = Number.isInteger(limit) && limit >= 1 && limit <= 100 && Number.isInteger(skip) && skip >= 0
  if (!isPage) return invalid('paging_limit_invalid')
  if (reference === '' || [...query.keys()].some((name) => !searchMembers.includes(name)))
    return invalid('parameter_invalid')
  if (!context.account.config.lookup) return notAllowed
  const found = searchPayments(context, reference)
  const data = found.slice(skip, skip + limit).map(paymentDetails)
  return { status: 200, body: { limit, skip, total_count: found.length, data } }
}

function postToken(context: DialectContext, { body }: IncomingCall): Reply {
  if (!isObject(body)) return invalid('request_json_invalid')
  const problems = tokenProblems(body, context.state.clock.now())
  if (problems.length > 0) return invalid(...problems)
  const { token, card, expiresAt } = createToken(context, body)
  const { fingerprint: _, ...shown } = card
  return { status: 201, body: { token, expires_on: timeOf(expiresAt), ...shown } }
}

/** Stores the card of a token. The token is then used up. */
function postInstrument(context: DialectContext, { body }: IncomingCall): Reply {
  if (!isObject(body)) return invalid('request_json_invalid')
  const problems = instrumentProblems(body)
  if (problems.length > 0) return invalid(...problems)
  const token = body.token as string
  const source = findSource(context, { type: 'token', token })
  if (typeof source === 'string') return invalid(source)
  useToken(context, token)
  const id = idOf('src', context.account, randomUUID())
  storeInstrument(context, id, source)
  return { status: 201, body: { id, ...source.card } }
}
