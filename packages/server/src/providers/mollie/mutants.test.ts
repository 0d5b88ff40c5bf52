// The conformance kit of Mollie must detect variants of the connector that guess or lose data.

import { expect, test } from 'vitest'
import { conformanceOf } from '../conformance.ts'
import type {
  BuildContext,
  ConnectorConfig,
  Found,
  HttpCall,
  HttpReply,
  LookupInput,
  OperationInput,
  Outcome,
  Provider,
} from '../contract.ts'
import { kit } from './fixtures/kit.ts'
import { mollie } from './provider.ts'

type Mollie = Provider<ConnectorConfig>
type Kind = 'authorize' | 'capture' | 'void' | 'refund'
type Build = (input: OperationInput, context: BuildContext<ConnectorConfig>) => HttpCall
type Parse = (reply: HttpReply, input: OperationInput) => Outcome

function stepOf(kind: Kind): { readonly build: Build; readonly parse: Parse } {
  return mollie.operations[kind] as { build: Build; parse: Parse }
}

function withStep(kind: Kind, changes: { build?: Build; parse?: Parse }): Mollie {
  return { ...mollie, operations: { ...mollie.operations, [kind]: { ...stepOf(kind), ...changes } } }
}

const building = (kind: Kind, change: (call: HttpCall, input: OperationInput) => HttpCall) =>
  withStep(kind, { build: (input, context) => change(stepOf(kind).build(input, context), input) })
const replaced = (kind: Kind, from: RegExp | string, to: string) =>
  building(kind, (call) => ({ ...call, body: call.body?.replace(from, to) ?? null }))
/** Reads a changed response. */
const reading = (kind: Kind, change: (body: string, input: OperationInput) => string) =>
  withStep(kind, {
    parse: (reply, input) => stepOf(kind).parse({ ...reply, body: change(reply.body, input) }, input),
  })
const parsing = (kind: Kind, change: (outcome: Outcome, reply: HttpReply) => Outcome) =>
  withStep(kind, { parse: (reply, input) => change(stepOf(kind).parse(reply, input), reply) })
const lookingUp = (change: (reply: HttpReply, found: (reply: HttpReply) => Found) => Found): Mollie => {
  const { build, parse } = mollie.lookup as NonNullable<Mollie['lookup']>
  const changed = (reply: HttpReply, input: LookupInput) => change(reply, (other) => parse(other, input))
  return { ...mollie, lookup: { build, parse: changed } }
}

const withoutKey = ({ headers: { 'idempotency-key': _, ...headers }, ...call }: HttpCall) => ({
  ...call,
  headers,
})
const decline = { is: 'declined', decline: { code: 'generic_decline' } } as const

function faultsOf(provider: Mollie): string {
  return conformanceOf(provider, kit)
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
    .join('\n')
}

test('the connector itself has no fault', () => {
  expect(faultsOf(mollie)).toBe('')
})

// biome-ignore format: a table.
test.each<[string, Mollie, RegExp]>([
  ['drops the idempotency key of a payment', building('authorize', withoutKey),                                     /a new card: the call is the golden one/],
  ['drops the idempotency key of a refund',  building('refund', withoutKey),                                        /refund: the call is the golden one/],
  ['captures a hold immediately',            replaced('authorize', '"manual"', '"automatic"'),                      /held: the call is the golden one/],
  ['refunds in cents',                       replaced('refund', '"5.00"', '"500"'),                                 /refund: the call is the golden one/],
  ['charges a saved card as a new one',      replaced('authorize', '"recurring"', '"oneoff"'),                      /recurring charge: the call is the golden one/],
  ['sends no reference',                     replaced('authorize', /"switchyard_reference":"[^"]*"/, '"x":""'),     /golden/],
  ['reads failed as paid',                   reading('authorize', (body) => body.replace('"failed"', '"paid"')),    /failed: funds/],
  ['reads authorized as paid',               reading('authorize', (body) => body.replace('"authorized"', '"paid"').replace('"manual"', '"automatic"').replace('"0.00"', '"10.99"')), /authorized, not captured/],
  ['reads paid as authorized',               reading('authorize', (body) => body.replace('"paid"', '"authorized"')), /\): paid"/],
  ['reads open as a decline',                parsing('authorize', (outcome) => (outcome.is === 'action' ? decline : outcome)), /payer must act/],
  ['ignores references',                     reading('authorize', (body, { reference }) => body.replace(/"switchyard_reference":"[^"]*"/, `"switchyard_reference":"${reference}"`)), /a different reference/],
  ['ignores the mode',                       reading('authorize', (body, { mode }) => body.replace(/"mode":"\w+"/, `"mode":"${mode}"`)), /another mode/],
  ['reports the requested amount',           withStep('authorize', { parse: (reply, input) => {
    const outcome = stepOf('authorize').parse(reply, input)
    return outcome.is === 'succeeded' ? { ...outcome, money: input.money } : outcome
  } }), /a different amount/],
  ['reads amounts with other decimals',      parsing('authorize', (outcome) => (outcome.is === 'succeeded' ? { ...outcome, money: { ...outcome.money, amount: outcome.money.amount * 100n } } : outcome)), /returned unchanged/],
  ['treats 422 as a decline',                parsing('authorize', (outcome, { status }) => (status === 422 ? decline : outcome)), /\): 422/],
  ['treats 409 as a rejection',              parsing('refund', (outcome, { status }) => (status === 409 ? { is: 'rejected', fault: { code: 'x', message: '' } } : outcome)), /refund\): 409/],
  ['treats 503 as a rejection',              parsing('authorize', (outcome, { status }) => (status === 503 ? { is: 'rejected', fault: { code: 'x', message: '' } } : outcome)), /\): 503/],
  ['treats a rejected call as final',        parsing('authorize', (outcome) => (outcome.is === 'rejected' ? { is: 'rejected', fault: outcome.fault } : outcome)), /\): 401/],
  ['reads a queued refund as refunded',      reading('refund', (body) => body.replace('"queued"', '"refunded"')),   /refund\): queued/],
  ['reads a pending capture as captured',    reading('capture', (body) => body.replace('"pending"', '"succeeded"')), /capture\): pending/],
  ['reads an accepted release as done',      parsing('void', (outcome) => (outcome.is === 'pending' ? { is: 'succeeded', ref: outcome.ref, money: { amount: 1099n, currency: 'eur' } } : outcome)), /void\): accepted/],
  ['looks up a missing payment as closed',   lookingUp((reply, found) => (reply.status === 404 ? { is: 'closed' } : found(reply))), /not found/],
  ['resends a refund that was canceled',     lookingUp((reply, found) => (/"refund".*"canceled"/.test(reply.body) ? { is: 'closed' } : found(reply))), /refund\): canceled/],
  ['trusts an unsigned webhook',             { ...mollie, webhooks: { ...mollie.webhooks, verify: () => 'valid' } } as Mollie, /genuine/],
  ['trusts the status in a webhook',         { ...mollie, webhooks: { ...mollie.webhooks, parse: () => [{ dedupeKey: null, reference: null, providerReference: 'tr_7UhSN1zuXS', found: { is: 'closed' } }] } } as Mollie, /parsed/],
  ['cannot resolve outcomes',                { ...mollie, resolve: { ...mollie.resolve, replayHours: 0, lookup: 'none' } }, /registered/],
])('a connector that %s is detected', (_, provider, expectedFault) => {
  expect(faultsOf(provider)).toMatch(expectedFault)
})
