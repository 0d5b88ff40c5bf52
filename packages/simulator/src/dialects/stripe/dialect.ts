/**
 * The Stripe API of version 2026-10-28: PaymentIntents, SetupIntents, refunds, charges, PaymentMethods and customers.
 * Everything that has an effect on money is an operation of the simulator.
 */
import { timingSafeEqual } from 'node:crypto'
import { latencyOf } from '../../config.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import type { Account } from '../../simulator-state.ts'
import type { Dialect, DialectContext } from '../dialect.ts'
import { withIdempotencyKey } from '../idempotency.ts'
import { captureIntent, captureRules, createRefund, refundedIntentId, refundRules } from './captures.ts'
import {
  attachMethod,
  attachRules,
  createCustomer,
  createMethod,
  customerRules,
  detachMethod,
  methodRules,
} from './cards.ts'
import { closeDispute, createFile, disputeRules, readDispute, updateDispute } from './disputes.ts'
import {
  invalidRequest,
  keyConflict,
  keyInUse,
  Refusal,
  serverError,
  unauthenticated,
  unavailable,
} from './errors.ts'
import {
  cancelIntent,
  cancelPaymentRules,
  cancelSetupRules,
  confirmIntent,
  confirmPaymentRules,
  confirmSetupRules,
  createPaymentIntent,
  createSetupIntent,
  paymentIntentRules,
  type Request,
  setupIntentRules,
} from './intents.ts'
import { apiVersion, clientSecretOf } from './objects.ts'
import { canonicalText, expand, listOf, type Rules, readParameters } from './parameters.ts'
import {
  expandObjects,
  intentListRules,
  listIntents,
  listRefunds,
  readObject,
  refundListRules,
  requireIntent,
  searchIntents,
  searchRules,
} from './reads.ts'
import { findIntent, type Intent, isSetup, keyWindowMs, newId, ownerOf } from './stored.ts'
import { disputeWebhooks, returnWebhooks, webhooksOf } from './webhooks.ts'

type Route = {
  readonly rules: Rules
  run(request: Request, id: string): Reply | Promise<Reply>
}

const read: Route = {
  rules: expand,
  run: ({ context }, id) => ({ status: 200, body: readObject(context, id) }),
}

function change(
  rules: Rules,
  prefix: 'pi' | 'seti',
  run: (request: Request, intent: Intent) => Reply | Promise<Reply>,
): Route {
  return { rules, run: (request, id) => run(request, requireIntent(request.context, id, prefix)) }
}

const account = { id: 'acct_simulator', object: 'account', charges_enabled: true, country: 'US' }

const routes: { readonly [call: string]: Route } = {
  'GET account': { rules: expand, run: () => ({ status: 200, body: account }) },
  'POST payment_intents': { rules: paymentIntentRules, run: createPaymentIntent },
  'GET payment_intents': {
    rules: intentListRules,
    run: ({ context, values }) => listIntents(context, values, 'pi'),
  },
  'GET payment_intents search': {
    rules: searchRules,
    run: ({ context, values }) => searchIntents(context, values),
  },
  'GET payment_intents :id': read,
  'POST payment_intents :id confirm': change(confirmPaymentRules, 'pi', confirmIntent),
  'POST payment_intents :id capture': change(captureRules, 'pi', captureIntent),
  'POST payment_intents :id cancel': change(cancelPaymentRules, 'pi', cancelIntent),
  'POST setup_intents': { rules: setupIntentRules, run: createSetupIntent },
  'GET setup_intents': {
    rules: intentListRules,
    run: ({ context, values }) => listIntents(context, values, 'seti'),
  },
  'GET setup_intents :id': read,
  'POST setup_intents :id confirm': change(confirmSetupRules, 'seti', confirmIntent),
  'POST setup_intents :id cancel': change(cancelSetupRules, 'seti', cancelIntent),
  'POST refunds': { rules: refundRules, run: refund },
  'GET refunds': { rules: refundListRules, run: ({ context, values }) => listRefunds(context, values) },
  'GET refunds :id': read,
  'GET charges :id': read,
  'POST payment_methods': { rules: methodRules, run: ({ context, values }) => createMethod(context, values) },
  'GET payment_methods :id': read,
  'POST payment_methods :id attach': {
    rules: attachRules,
    run: ({ context, values }, id) => attachMethod(context, id, values),
  },
  'POST payment_methods :id detach': { rules: expand, run: ({ context }, id) => detachMethod(context, id) },
  'GET disputes :id': { rules: expand, run: ({ context }, id) => readDispute(context, id) },
  'POST disputes :id': {
    rules: disputeRules,
    run: ({ context, values }, id) => updateDispute(context, id, values),
  },
  'POST disputes :id close': { rules: expand, run: ({ context }, id) => closeDispute(context, id) },
  'POST customers': { rules: customerRules, run: ({ context, values }) => createCustomer(context, values) },
  'GET customers :id': read,
}

/** The id prefix of each resource. */
// biome-ignore format: a table.
const prefixes: { readonly [resource: string]: string } = {
  payment_intents: 'pi_', setup_intents: 'seti_', refunds: 're_', charges: 'ch_', payment_methods: 'pm_', customers: 'cus_',
  disputes: 'dp_',
}

function refund(request: Request): Promise<Reply> {
  const id = refundedIntentId(request)
  const param = request.values.payment_intent === undefined ? 'charge' : 'payment_intent'
  return createRefund(request, requireIntent(request.context, id, 'pi', param))
}

async function handle(context: DialectContext, call: IncomingCall): Promise<Reply> {
  const key = headerOf(call, 'idempotency-key')
  const reply = await answer(context, call, key)
  return {
    ...reply,
    headers: {
      date: new Date(context.state.clock.now()).toUTCString(),
      'request-id': newId('req'),
      'stripe-version': apiVersion,
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...reply.headers,
    },
  }
}

async function answer(context: DialectContext, call: IncomingCall, key: string | null): Promise<Reply> {
  try {
    if (call.method === 'POST' && call.segments.join('/') === 'v1/files') return createFile(context, call)
    const { route, id } = routeOf(call)
    requireVersion(call)
    const request = { context, values: readParameters(call, route.rules), key }
    if (call.method !== 'POST') {
      await context.state.clock.sleep(latencyOf(context.account.config, id))
      return await execute(route, request, id)
    }
    if (key === null) return await execute(route, request, id)
    if (key.length > 255) throw invalidRequest('Idempotency keys have at most 255 characters.')
    const content = `${call.segments.join('/')} ${canonicalText(request.values)}`
    return await withIdempotencyKey(
      context,
      {
        key,
        content,
        windowMs: keyWindowMs,
        conflict: keyConflict(key),
        inProgress: keyInUse(key),
        // A request that was not executed is not stored.
        isStored: ({ status }) => ![401, 403, 429, 503].includes(status),
        replayHeaders: { 'idempotent-replayed': 'true' },
      },
      () => execute(route, request, id),
    )
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function routeOf({ method, segments, path }: IncomingCall): { readonly route: Route; readonly id: string } {
  const [version, resource = '', id, verb] = segments
  const isId = id?.startsWith(prefixes[resource] ?? '?') ?? false
  const name = [method, resource, isId ? ':id' : id, verb].filter((part) => part !== undefined).join(' ')
  const route = version === 'v1' && segments.length <= 4 ? routes[name] : undefined
  if (route !== undefined) return { route, id: id ?? '' }
  if (id !== undefined && routes[`${method} ${resource} :id`] === read)
    throw invalidRequest(`No such object: '${id}'`, { code: 'resource_missing', param: 'id' }, 404)
  throw invalidRequest(`Unrecognized request URL (${method}: ${path}).`, {}, 404)
}

/** Without the header, the default version of the account applies, which is also `apiVersion`. */
function requireVersion(call: IncomingCall): void {
  const version = headerOf(call, 'stripe-version')
  if (version !== null && version !== apiVersion)
    throw invalidRequest(`Invalid Stripe API version: ${version}.`)
}

async function execute(route: Route, request: Request, id: string): Promise<Reply> {
  try {
    const reply = await route.run(request, id)
    const paths = listOf(request.values, 'expand')
    if (reply.status !== 200 || paths.length === 0) return reply
    return { ...reply, body: expandObjects(request.context, reply.body as object, paths) }
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function headerOf({ headers }: IncomingCall, name: string): string | null {
  return headers[name]?.toString() ?? null
}

/** The key is a bearer token, or the user name of HTTP Basic authentication. */
function isAuthenticated({ config }: Account, call: IncomingCall): boolean {
  const expected = config.credentials.secret_key ?? ''
  const [scheme = '', value = ''] = (headerOf(call, 'authorization') ?? '').split(' ')
  const key = /^basic$/i.test(scheme) ? Buffer.from(value, 'base64').toString().split(':')[0] : value
  const [sent, wanted] = [Buffer.from(key ?? ''), Buffer.from(expected)]
  return expected !== '' && sent.length === wanted.length && timingSafeEqual(sent, wanted)
}

export const stripe: Dialect = {
  name: 'stripe',
  isAuthenticated,
  unauthenticated,
  unavailable,
  serverError,
  handle,
  webhooksOf,
  disputeWebhooks,
  returnWebhooks,
  endsOnChallengePage: true,
  returnParams: ({ account: owner }, { reference }) => {
    const intent = findIntent(owner, ownerOf(owner, reference) ?? '')
    if (intent === undefined) return {}
    const name = isSetup(intent) ? 'setup_intent' : 'payment_intent'
    return { [name]: intent.id, [`${name}_client_secret`]: clientSecretOf(intent), source_type: 'card' }
  },
}
