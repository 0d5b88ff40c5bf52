// The kit must detect variants of the connector that guess, leak or lose data.

import { expect, test } from 'vitest'
import { conformanceOf } from '../conformance.ts'
import type {
  BuildContext,
  ConnectorConfig,
  HttpCall,
  HttpReply,
  OperationInput,
  OperationKind,
  Outcome,
  Provider,
} from '../contract.ts'
import { kit } from './fixtures/kit.ts'
import { stripe } from './provider.ts'

type Stripe = Provider<ConnectorConfig>
type Build = (input: OperationInput, context: BuildContext<ConnectorConfig>) => HttpCall
type Parse = (reply: HttpReply, input: OperationInput) => Outcome

function withOperation(kind: OperationKind, changes: { build?: Build; parse?: Parse }): Stripe {
  const step = stripe.operations[kind] as { build: Build; parse: Parse }
  return { ...stripe, operations: { ...stripe.operations, [kind]: { ...step, ...changes } } }
}
const building = (
  change: (call: HttpCall, input: OperationInput) => HttpCall,
  kind: OperationKind = 'authorize',
) => {
  const { build } = stripe.operations[kind] as { build: Build }
  return withOperation(kind, { build: (input, context) => change(build(input, context), input) })
}
const parsing = (
  change: (reply: HttpReply, input: OperationInput, parse: Parse) => Outcome,
  kind: OperationKind = 'authorize',
) => {
  const { parse } = stripe.operations[kind] as { parse: Parse }
  return withOperation(kind, { parse: (reply, input) => change(reply, input, parse) })
}
const editing = (from: RegExp | string, to: string, kind?: OperationKind) =>
  parsing((reply, input, parse) => parse({ ...reply, body: reply.body.replace(from, to) }, input), kind)
const verifying = (verify: NonNullable<Stripe['webhooks']>['verify']): Stripe =>
  ({ ...stripe, webhooks: { ...stripe.webhooks, verify } }) as Stripe
const withMoney = (outcome: Outcome, money: OperationInput['money']): Outcome =>
  outcome.is === 'succeeded' ? { ...outcome, money } : outcome

function faultsOf(provider: Stripe): string[] {
  return conformanceOf(provider, kit)
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}

const genericDecline = { is: 'declined', decline: { code: 'generic_decline' } } as const

// biome-ignore format: a table.
test.each<[string, Stripe, RegExp]>([
  ['drops the idempotency key',          building((call) => ({ ...call, headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => name !== 'idempotency-key')) })), /golden/],
  ['uses a constant idempotency key',    building((call) => ({ ...call, headers: { ...call.headers, 'idempotency-key': 'constant' } })), /golden/],
  ['does not pin the API version',       building((call) => ({ ...call, headers: { ...call.headers, 'stripe-version': '' } })), /golden/],
  ['captures asynchronously',            building((call) => ({ ...call, body: `${call.body}`.replace('capture_method=automatic', 'capture_method=automatic_async') })), /golden/],
  ['sends amounts in whole euros',       building((call) => ({ ...call, body: `${call.body}`.replace('amount=1099', 'amount=10.99') })), /golden/],
  ['drops the card number',              building((call) => ({ ...call, body: `${call.body}`.replace(/payment_method_data%5Bcard%5D%5Bnumber%5D=\d+&/, '') })), /a card number: the call is the golden one/],
  ['drops the CVC',                      building((call) => ({ ...call, body: `${call.body}`.replace(/payment_method_data%5Bcard%5D%5Bcvc%5D=\d+&/, '') }), 'verify'), /verify a number: the call is the golden one/],
  ['releases the rest of a partial capture', building((call) => ({ ...call, body: `${call.body}`.replace('&final_capture=false', '') }), 'capture'), /capture again: the call is the golden one/],
  ['cancels a partly captured payment',  withOperation('void', { build: (input, context) => (stripe.operations.void as { build: Build }).build({ ...input, captures: [] }, context) }), /void the rest/],
  ['reads a decline as a success',       parsing((reply, input, parse) => (reply.status === 402 ? { is: 'succeeded', ref: 'pi_3Auth1', money: input.money } : parse(reply, input))), /declined/],
  ['reads every 402 as a decline',       parsing((reply, input, parse) => (reply.status === 402 ? genericDecline : parse(reply, input))), /declined without a payment/],
  ['reads every card error as a decline', parsing((reply, input, parse) => (reply.body.includes('incorrect_number') ? genericDecline : parse(reply, input))), /incorrect number, charged/],
  ['reads a server error as a decline',  parsing((reply, input, parse) => (reply.status >= 500 ? genericDecline : parse(reply, input))), /internal error/],
  ['reads an authorization as a capture', editing('"status":"requires_capture"', '"status":"succeeded"'), /only authorized|with manual capture: authorized/],
  ['treats an authorization as captured', parsing((reply, input, parse) => parse(reply, { ...input, capture: reply.body.includes('automatic') })), /with manual capture: captured/],
  ['reads a key in use as a rejection',  parsing((reply, input, parse) => (reply.status === 409 ? { is: 'rejected', fault: { code: 'x', message: '' } } : parse(reply, input))), /key in use/],
  ['rejects more than this call',        parsing((reply, input, parse) => { const outcome = parse(reply, input); return outcome.is === 'rejected' ? { is: 'rejected', fault: outcome.fault } : outcome }), /authorize: invalid request"/],
  ['ignores references',                 parsing((reply, input, parse) => parse({ ...reply, body: reply.body.replace(/"switchyard_reference":"[^"]*"/, `"switchyard_reference":"${input.reference}"`) }, input)), /a different reference/],
  ['ignores the mode',                   editing('"livemode":true', '"livemode":false'), /live payment in test mode/],
  ['reports the requested amount',       parsing((reply, input, parse) => withMoney(parse(reply, input), input.money)), /a different amount/],
  ['uses the wrong decimal places',      parsing((reply, input, parse) => { const outcome = parse(reply, input); return outcome.is === 'succeeded' ? withMoney(outcome, { ...outcome.money, amount: outcome.money.amount / 100n }) : outcome }), /returned unchanged/],
  ['counts earlier captures again',      parsing((reply, input, parse) => parse(reply, { ...input, captures: [] }), 'capture'), /capture again: captured/],
  ['reads a pending refund as a success', editing('"status":"pending"', '"status":"succeeded"', 'refund'), /refund: in progress/],
  ['ignores the search count',           { ...stripe, lookup: { ...stripe.lookup, parse: (reply, input) => stripe.lookup?.parse({ ...reply, body: reply.body.replace('"total_count":1', '"total_count":0') }, input) } } as Stripe, /count without objects/],
  ['reads 404 as absent',                { ...stripe, lookup: { ...stripe.lookup, parse: (reply, input) => (reply.status === 404 ? { is: 'absent' } : stripe.lookup?.parse(reply, input)) } } as Stripe, /no such object/],
  ['closes without proof',               { ...stripe, close: { ...stripe.close, parse: () => ({ is: 'closed' }) } } as Stripe, /close/],
  ['accepts an unsigned webhook',        verifying(() => 'valid'), /with a different body/],
  ['rejects every webhook',              verifying(() => 'invalid'), /genuine/],
  ['ignores the signature time',         verifying((call, context) => stripe.webhooks?.verify(call, { ...context, now: kit.now }) ?? 'invalid'), /late/],
  ['accepts only the newest secret',     verifying((call, { config, ...context }) => stripe.webhooks?.verify(call, { config: { ...config, webhook_secrets: { signing_secret: (config.webhook_secrets.signing_secret ?? []).slice(0, 1) } }, ...context }) ?? 'invalid'), /rotate/],
])('a connector that %s is detected', (_, provider, expectedFault) => {
  expect(faultsOf(provider).join('\n')).toMatch(expectedFault)
})

test('the connector has no fault', () => {
  expect(faultsOf(stripe)).toEqual([])
})
