// Broken variants of the connector. The conformance suite must detect each of them with its fixtures.

import { expect, test } from 'vitest'
import { conformanceOf } from '../conformance.ts'
import type {
  ConnectorConfig,
  HttpCall,
  HttpReply,
  OperationInput,
  Outcome,
  Provider,
  Step,
} from '../contract.ts'
import { kit } from './fixtures/kit.ts'
import { checkoutCom } from './provider.ts'

type Connector = Provider<ConnectorConfig>
type Operation = Step<OperationInput, Outcome, ConnectorConfig>

const { authorize, refund } = checkoutCom.operations as Record<'authorize' | 'refund', Operation>
const withAuthorize = (changes: Partial<Operation>): Connector => ({
  ...checkoutCom,
  operations: { ...checkoutCom.operations, authorize: { ...authorize, ...changes } },
})
const building = (change: (call: HttpCall, input: OperationInput) => HttpCall) =>
  withAuthorize({ build: (input, context) => change(authorize.build(input, context), input) })
const reading = (change: (outcome: Outcome, reply: HttpReply, input: OperationInput) => Outcome) =>
  withAuthorize({ parse: (reply, input) => change(authorize.parse(reply, input), reply, input) })
const rewriting = (change: (body: string, input: OperationInput) => string) =>
  withAuthorize({
    parse: (reply, input) => authorize.parse({ ...reply, body: change(reply.body, input) }, input),
  })
const verifying = (verify: NonNullable<Connector['webhooks']>['verify']): Connector =>
  ({ ...checkoutCom, webhooks: { ...checkoutCom.webhooks, verify } }) as Connector

const approved = (body: string) =>
  body
    .replace('"approved":false', '"approved":true')
    .replace('Declined', 'Authorized')
    .replace('20051', '10000')
const money = (outcome: Outcome, change: (amount: bigint) => bigint): Outcome =>
  outcome.is === 'succeeded'
    ? { ...outcome, money: { ...outcome.money, amount: change(outcome.money.amount) } }
    : outcome

// biome-ignore format: a table.
const mutants: [string, Connector, RegExp][] = [
  ['drops the idempotency key',      building(({ headers: { 'cko-idempotency-key': _, ...headers }, ...call }) => ({ ...call, headers })), /golden/],
  ['sends a random key',             building((call) => ({ ...call, headers: { ...call.headers, 'cko-idempotency-key': crypto.randomUUID() } })), /golden/],
  ['captures instead of authorizing',building((call) => ({ ...call, body: call.body?.replace('"capture":false', '"capture":true') ?? null })), /golden/],
  ['sends amounts in major units',   building((call) => ({ ...call, body: call.body?.replace('"amount":1099', '"amount":10.99') ?? null })), /golden/],
  ['reads a decline as a success',   rewriting(approved),                                                               /off-session, declined/],
  ['reads authorized as captured',   reading((outcome, reply, input) => (outcome.is === 'pending' ? authorize.parse(reply, { ...input, capture: false }) : outcome)), /to be captured/],
  ['reads captured as authorized',   withAuthorize({ parse: (reply, input) => authorize.parse(reply, { ...input, capture: reply.body.includes('Captured') || input.capture }) }), /captured, not requested/],
  ['accepts a partial approval',     rewriting((body) => body.replace('10010', '10000')),                                /partly approved/],
  ['accepts a decline that is retried', rewriting((body) => body.replace('"retry"', '"ignored"')),                  /tried again/],
  ['treats a duplicate as a decline', rewriting((body) => body.replace('20094', '20005')),                               /duplicate/],
  ['treats 502 as a rejection',      reading((outcome, { status }) => (status === 502 ? { is: 'rejected', fault: { code: 'provider_error', message: '' } } : outcome)), /bad gateway/],
  ['treats "in progress" as a rate limit', rewriting((body) => body.replace('duplicate_request', 'too_many_requests')), /in progress/],
  ['ignores references',             rewriting((body, { reference }) => body.replace(/"reference":"[^"]*"/, `"reference":"${reference}"`)), /a different reference/],
  ['reports the requested amount',   reading((outcome, _, input) => (outcome.is === 'succeeded' ? { ...outcome, money: input.money } : outcome)), /a different amount/],
  ['uses two decimals everywhere',   reading((outcome, _, input) => (input.money.currency === 'jpy' ? money(outcome, (amount) => amount / 100n) : outcome)), /jpy is returned unchanged/],
  ['does not keep card tokens',      reading((outcome) => { if (outcome.is !== 'succeeded') return outcome; const { extra: _, ...rest } = outcome; return rest }), /authorized/],
  ['treats an accepted refund as done', { ...checkoutCom, operations: { ...checkoutCom.operations, refund: { ...refund, parse: (reply, input) => { const outcome = refund.parse(reply, input); return outcome.is === 'pending' ? { is: 'succeeded', ref: outcome.ref, money: input.money } : outcome } } } }, /refund: accepted/],
  ['treats an unlisted refund as absent', { ...checkoutCom, lookup: { build: checkoutCom.lookup?.build as never, parse: (reply, input) => { const found = checkoutCom.lookup?.parse(reply, input); return found?.is === 'unknown' && found.fault.code === 'action_not_found' ? { is: 'absent' } : (found as never) } } }, /unknown refund/],
  ['accepts an unsigned webhook',    verifying(() => 'valid'),                                                          /with a different body/],
  ['accepts only the newest key',    verifying((call, { config, ...context }) => checkoutCom.webhooks?.verify(call, { ...context, config: { ...config, webhook_secrets: { signature_key: config.webhook_secrets.signature_key?.slice(0, 1) ?? [] } } }) ?? 'invalid'), /rotate/],
]

test('the connector itself has no fault', () => {
  expect(faultsOf(checkoutCom)).toEqual([])
})

test.each(mutants)('a connector that %s is detected', (_, mutant, expectedFault) => {
  expect(faultsOf(mutant).join('\n')).toMatch(expectedFault)
})

function faultsOf(provider: Connector): string[] {
  return conformanceOf(provider, kit)
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}
