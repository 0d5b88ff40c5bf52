/**
 * What a test does to the simulator and asks of it, under /control and from this machine only. It is no part of
 * the protocol: a real provider has no such door.
 */
import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import { wrongMembers } from './config.ts'
import { conclude, type Place } from './course.ts'
import type { Reply } from './faults.ts'
import type { Incoming } from './incoming.ts'
import { type MoneyFact, sumsByPayment } from './ledger.ts'
import { problemOf } from './money.ts'
import { isObject } from './protocol.ts'
import { errorReply } from './records.ts'
import { type Account, accountNamed, type Operation, resetAccount, type World } from './world.ts'

type Members = { readonly [name: string]: unknown }
type Asked = { readonly body: Members; readonly query: URLSearchParams }
type Control = (place: Place, asked: Asked) => Reply | Promise<Reply>

const controls: { readonly [call: string]: Control } = {
  'GET ledger': ({ account }) => ok({ facts: account.ledger.facts() }),
  'GET sums': ({ account }, { query }) => ok({ sums: sumsOfFacts([account], query) }),
  'GET calls': ({ account }) => ok({ calls: account.calls }),
  'GET config': ({ account }) => ok(account.config),
  'PUT config': configure,
  'POST reset': ({ world, account }) => {
    resetAccount(world, account)
    return ok({})
  },
  'POST webhooks/flush': async ({ account }) => ok({ waiting: await account.outbox.flush() }),
  'POST refunds': refundFromThere,
}

/** A call to the control, `control` being the first segment of its path. */
export type ControlCall = Pick<Incoming, 'method' | 'segments' | 'query' | 'bytes' | 'body'>

export function control(world: World, call: ControlCall): Reply | Promise<Reply> {
  const { method, segments, query, bytes } = call
  const body = bytes.length === 0 ? {} : call.body
  if (!isObject(body)) return errorReply(400, 'invalid', 'The body is not a JSON object.')
  const [, name = '', ...rest] = segments
  const asked = { query, body }
  if (rest.length === 0) return controlAll(world, `${method} ${name}`, asked)
  const known = controls[`${method} ${rest.join('/')}`]
  if (known === undefined || !isAccountName(name)) return unknownCall
  return known({ world, account: accountNamed(world, name) }, asked)
}

/** What is about all accounts together: time, and the sums that no two of them may break together. */
async function controlAll(world: World, call: string, { body, query }: Asked): Promise<Reply> {
  if (call === 'GET sums') return ok({ sums: sumsOfFacts([...world.accounts.values()], query) })
  if (call !== 'POST time') return unknownCall
  if (body.reset === true) return world.clock.reset() ? ok({ now: timeOf(world) }) : somethingWaits
  const { advance_ms: ms } = body
  if (typeof ms !== 'number' || !(ms >= 0)) return errorReply(400, 'invalid', 'advance_ms is not 0 or more.')
  await world.clock.advance(ms)
  return ok({ now: timeOf(world) })
}

const somethingWaits = errorReply(409, 'something_waits', 'Something waits for its time: move on first.')

function timeOf({ clock }: World): string {
  return new Date(clock.now()).toISOString()
}

export function isAccountName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(name) && name !== 'control'
}

/** Changes the members that are named and leaves the others. */
function configure({ account }: Place, { body }: Asked): Reply {
  const wrong = wrongMembers(body)
  if (wrong.length > 0)
    return errorReply(400, 'invalid', `Not known, or not as it must be: ${wrong.join(', ')}.`)
  account.config = { ...account.config, ...(body as Partial<Config>) }
  return ok(account.config)
}

function sumsOfFacts(accounts: readonly Account[], query: URLSearchParams) {
  const payment = query.get('payment_id')
  const factsOf = ({ ledger }: Account): readonly MoneyFact[] =>
    payment === null ? ledger.facts() : ledger.ofPayment(payment)
  return sumsByPayment(accounts.flatMap(factsOf))
}

/** Somebody refunds at the provider, past the merchant's own books: `refund.created` tells of it. */
async function refundFromThere(place: Place, { body }: Asked): Promise<Reply> {
  const { world, account } = place
  const { parent_reference: parent, amount } = body
  const charged = typeof parent === 'string' ? account.operations.get(parent) : undefined
  if (charged?.request == null || !Number.isSafeInteger(amount) || (amount as number) <= 0) {
    return errorReply(400, 'invalid', 'A refund needs the parent_reference of a charge, and an amount.')
  }
  const reference = `refund-${randomUUID()}`
  const request = {
    ...charged.request,
    reference,
    kind: 'refund',
    parent_reference: charged.reference,
    amount: amount as number,
  } as const
  const operation: Operation = { ...charged, reference, request, record: null, fingerprint: null }
  const error = problemOf(account, operation)
  if (error !== null) return errorReply(422, error.code, error.message)
  const record = conclude(place, operation, { is: 'approve' })
  await world.journal.durable()
  await account.outbox.tell('refund.created', { ...record, parent_reference: charged.reference })
  return ok(record)
}

const unknownCall = errorReply(404, 'not_found', 'There is no such control.')

function ok(body: object): Reply {
  return { status: 200, body }
}
