/** Reads, lists and searches objects. Reads and lists are up to date; the search lags behind. */
import type { Reply } from '../../faults.ts'
import type { AccountContext } from '../../run-operation.ts'
import { readRefund, requireRefund, settle } from './captures.ts'
import { readMethod, requireCustomer } from './cards.ts'
import { invalidRequest, missing } from './errors.ts'
import { chargeObject, customerObject, intentObject, intentOfCharge } from './objects.ts'
import { expand, integer, listOf, type Rules, requireParameter, text, type Values } from './parameters.ts'
import { type Progress, progressOf } from './progress.ts'
import { findIntent, type Intent } from './stored.ts'

type IntentPrefix = 'pi' | 'seti'

const pageRules: Rules = {
  limit: integer,
  starting_after: text(),
  ending_before: text(),
  'created[gt]': integer,
  'created[gte]': integer,
  'created[lt]': integer,
  'created[lte]': integer,
  ...expand,
}
export const intentListRules: Rules = { ...pageRules, customer: text() }
export const refundListRules: Rules = { ...pageRules, payment_intent: text(), charge: text() }
export const searchRules: Rules = { query: text(), limit: integer, page: text(), ...expand }

const objectNames = { pi: 'payment_intent', seti: 'setupintent' } as const

/** An intent that was never executed does not exist. */
export function requireIntent(
  context: AccountContext,
  id: string,
  prefix: IntentPrefix,
  param?: string,
): Intent {
  const intent = id.startsWith(`${prefix}_`) ? settle(context, id) : undefined
  if (intent === undefined || !exists(context, intent)) throw missing(objectNames[prefix], id, param)
  return intent
}

function exists({ account }: AccountContext, intent: Intent): boolean {
  return !intent.isConfirmedOnCreation || progressOf(account, intent).attempt !== null
}

/** The object with this id. */
export function readObject(context: AccountContext, id: string): object {
  const { account } = context
  const [prefix = ''] = id.split('_')
  switch (prefix) {
    case 'pi':
    case 'seti': {
      const intent = requireIntent(context, id, prefix)
      return intentObject(intent, progressOf(account, intent))
    }
    case 'ch':
      return readCharge(context, id)
    case 're':
      return requireRefund(context, id)
    case 'pm':
      return readMethod(context, id)
    case 'cus':
      return customerObject(requireCustomer(context, id))
    default:
      throw missing('object', id)
  }
}

function readCharge(context: AccountContext, id: string): object {
  const { account } = context
  const intent = settle(context, intentOfCharge(id))
  const index = Number(id.slice(27))
  if (intent === undefined || !exists(context, intent)) throw missing('charge', id)
  // Only the latest charge of an intent is kept.
  const progress = progressOf(account, intent)
  if (progress.charge?.index !== index) throw missing('charge', id)
  return chargeObject(intent, progress, progress.charge)
}

export function listIntents(context: AccountContext, values: Values, prefix: IntentPrefix): Reply {
  const isOfCustomer = ({ customer }: Intent) => values.customer === undefined || customer === values.customer
  const page = pageOf(intentsOf(context, prefix, isOfCustomer), values)
  const url = prefix === 'pi' ? '/v1/payment_intents' : '/v1/setup_intents'
  return listReply(url, { ...page, data: page.data.map(({ id }) => readObject(context, id)) })
}

/** Newest first. Lazy, because an account may have very many intents. */
function* intentsOf(
  context: AccountContext,
  prefix: IntentPrefix,
  isWanted: (intent: Intent) => boolean,
): Iterable<Intent> {
  const ids = [...context.account.objects.keys()].filter((key) => key.startsWith(`${prefix}_`)).reverse()
  for (const id of ids) {
    const intent = findIntent(context.account, id)
    if (intent !== undefined && isWanted(intent) && exists(context, intent)) yield intent
  }
}

export function listRefunds(context: AccountContext, values: Values): Reply {
  const { payment_intent: id, charge } = values
  const isAll = id === undefined && charge === undefined
  const intents = isAll
    ? intentsOf(context, 'pi', ({ refunds }) => refunds.length > 0)
    : [requireIntent(context, id ?? intentOfCharge(charge ?? ''), 'pi', 'payment_intent')]
  return listReply('/v1/refunds', pageOf(refundsOf(context, intents), values))
}

function* refundsOf(context: AccountContext, intents: Iterable<Intent>): Iterable<Listed> {
  for (const { refunds } of intents)
    for (const id of refunds.toReversed()) {
      const refund = readRefund(context, id) as Listed | null
      if (refund !== null) yield refund
    }
}

type Listed = { readonly id: string; readonly created: number }
type Page<T> = { readonly data: readonly T[]; readonly has_more: boolean }

function pageOf<T extends Listed>(objects: Iterable<T>, values: Values): Page<T> {
  const limit = limitOf(values)
  const { starting_after: after, ending_before: before } = values
  const page: T[] = []
  let isStarted = after === undefined
  for (const object of objects) {
    if (object.id === before) return { data: page.slice(-limit), has_more: page.length > limit }
    if (isStarted && isWithin(object, values)) page.push(object)
    isStarted ||= object.id === after
    if (before === undefined && page.length > limit) break
  }
  return { data: page.slice(0, limit), has_more: page.length > limit }
}

function isWithin({ created }: Listed, values: Values): boolean {
  const bound = (name: string, other: number) => Number(values[`created[${name}]`] ?? other)
  const isAfter = created > bound('gt', -1) && created >= bound('gte', 0)
  return isAfter && created < bound('lt', Infinity) && created <= bound('lte', Infinity)
}

function limitOf({ limit = '10' }: Values): number {
  if (Number(limit) < 1 || Number(limit) > 100)
    throw invalidRequest('limit must be between 1 and 100.', { param: 'limit' })
  return Number(limit)
}

function listReply(url: string, page: Page<object>): Reply {
  return { status: 200, body: { object: 'list', url, ...page } }
}

/** Finds PaymentIntents by metadata, status, currency or customer. New ones are found after a delay. */
export function searchIntents(context: AccountContext, values: Values): Reply {
  const { state, account } = context
  requireParameter(values, 'query')
  if (!account.config.lookup) throw invalidRequest('Search is not available for this account.')
  const clauses = (values.query ?? '').split(/\s+AND\s+/i).map(readClause)
  const now = state.clock.now()
  const isVisible = (intent: Intent) => visibleAtMs(context, intent) <= now
  const isWanted = (intent: Intent) => clauses.every(({ mayMatch }) => mayMatch(intent)) && isVisible(intent)
  const found = [...intentsOf(context, 'pi', isWanted)].filter((intent) => {
    const progress = progressOf(account, intent)
    return clauses.every(({ matches }) => matches(progress))
  })
  const start = Number(values.page ?? 0)
  const end = start + limitOf(values)
  const hasMore = found.length > end
  const total = listOf(values, 'expand').includes('total_count') ? { total_count: found.length } : {}
  const data = found.slice(start, end).map(({ id }) => readObject(context, id))
  const body = {
    object: 'search_result',
    url: '/v1/payment_intents/search',
    has_more: hasMore,
    data,
    ...total,
  }
  return { status: 200, body: { ...body, next_page: hasMore ? String(end) : null } }
}

function visibleAtMs({ account }: AccountContext, { attempts, created }: Intent): number {
  const operation = account.operations.get(attempts[0]?.reference ?? '')
  return operation?.visible_at ?? created * 1000 + account.config.lookup_lag_ms
}

/** `mayMatch` excludes most intents without computing their progress. */
type Clause = { mayMatch(intent: Intent): boolean; matches(progress: Progress): boolean }

/** One clause of the query language, such as `metadata['order']:'7'`. Only equality is emulated. */
function readClause(clause: string): Clause {
  const pattern =
    /^(?:metadata\[(['"])(?<key>.+?)\1\]|(?<field>status|currency|customer)):(['"])(?<value>.*)\4$/
  const { key, field, value } = pattern.exec(clause.trim())?.groups ?? {}
  if (key !== undefined)
    return {
      mayMatch: ({ metadata, captures }) =>
        [{ metadata }, ...captures].some((part) => part.metadata[key] === value),
      matches: ({ metadata }) => metadata[key] === value,
    }
  if (field === 'status') return { mayMatch: () => true, matches: ({ status }) => status === value }
  if (field === 'currency' || field === 'customer')
    return { mayMatch: (intent) => intent[field] === value, matches: () => true }
  throw invalidRequest(`The search query is not supported: ${clause}`, { param: 'query' })
}

/** Replaces the ids that `expand` names with the objects. */
export function expandObjects(context: AccountContext, body: object, paths: readonly string[]): object {
  return paths
    .filter((path) => path !== 'total_count')
    .reduce((expanded, path) => expandPath(context, expanded, path.split('.')), body)
}

function expandPath(context: AccountContext, value: object, path: readonly string[]): object {
  const [name = '', ...rest] = path
  const member = (value as { [name: string]: unknown })[name]
  if (name === 'data' && Array.isArray(member))
    return { ...value, data: member.map((entry: object) => expandPath(context, entry, rest)) }
  if (member === null) return value
  if (typeof member !== 'string' || !/^(pi|seti|ch|pm|cus|re)_/.test(member))
    throw invalidRequest(`This property cannot be expanded (${path.join('.')}).`, { param: 'expand' })
  const object = readObject(context, member)
  return { ...value, [name]: rest.length === 0 ? object : expandPath(context, object, rest) }
}
