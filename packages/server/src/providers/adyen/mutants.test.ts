// The fixtures must detect variants of the connector that guess, leak or lose data.

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
  Webhooks,
} from '../contract.ts'
import { kit } from './fixtures/kit.ts'
import { adyen } from './provider.ts'

type Adyen = Provider<ConnectorConfig>
type Operation = {
  build(input: OperationInput, context: BuildContext<ConnectorConfig>): HttpCall
  parse(reply: HttpReply, input: OperationInput): Outcome
}
const { webhooks } = adyen as { webhooks: Webhooks<ConnectorConfig> }

function changing(kind: OperationKind, change: (operation: Operation) => Partial<Operation>): Adyen {
  const operation = adyen.operations[kind] as Operation
  return {
    ...adyen,
    operations: { ...adyen.operations, [kind]: { ...operation, ...change(operation) } },
  }
}
const building = (kind: OperationKind, change: (call: HttpCall, input: OperationInput) => HttpCall) =>
  changing(kind, ({ build }) => ({ build: (input, context) => change(build(input, context), input) }))
const parsing = (
  kind: OperationKind,
  change: (parse: Operation['parse'], reply: HttpReply, input: OperationInput) => Outcome,
) => changing(kind, ({ parse }) => ({ parse: (reply, input) => change(parse, reply, input) }))
const receiving = (changes: Partial<Webhooks<ConnectorConfig>>): Adyen => ({
  ...adyen,
  webhooks: { ...webhooks, ...changes },
})
const replacing = (pattern: RegExp, text: string) => (call: HttpCall) => ({
  ...call,
  body: call.body?.replace(pattern, text) ?? null,
})

function faultsOf(provider: Adyen): string[] {
  return conformanceOf(provider, kit)
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}

// biome-ignore format: a table.
test.each<[string, Adyen, RegExp]>([
  ['drops the idempotency key',      building('authorize', (call) => ({ ...call, headers: { ...call.headers, 'idempotency-key': '' } })), /golden/],
  ['uses one key for all refunds',   building('refund', (call) => ({ ...call, headers: { ...call.headers, 'idempotency-key': 'refund' } })), /golden/],
  ['captures every authorization',   building('authorize', replacing(/"additionalData":\{"manualCapture":"true"\}/, '"captureDelayHours":0')), /authorize only: the call is the golden one/],
  ['captures by the account setting', building('authorize', replacing(/"captureDelayHours":0,/, '')),               /golden/],
  ['uses the exponents of ISO 4217', building('authorize', replacing(/109900/, '1099')),                            /Chilean pesos/],
  ['sends the card in the URL',      building('authorize', (call, { instrument }) => ({ ...call, url: `${call.url}/${instrument?.type === 'card' ? instrument.number : ''}` })), /golden/],
  ['captures without a reference',   building('capture', replacing(/"reference":"[^"]+"/, '"reference":""')),       /golden/],
  ['reads a refusal as a success',   parsing('authorize', (parse, reply, input) => parse({ ...reply, body: reply.body.replace('"Refused"', '"Authorised"').replace(/"refusalReasonCode":"\d+"/, '"amount":{"currency":"EUR","value":1099}') }, input)), /refused/],
  ['reads received as captured',     parsing('capture', (parse, reply, input) => { const outcome = parse(reply, input); return outcome.is === 'pending' ? { is: 'succeeded', ref: outcome.ref, money: input.money } : outcome }), /capture: received/],
  ['reads 704 as a rejection',       parsing('authorize', (parse, reply, input) => parse({ ...reply, body: reply.body.replace('"704"', '"703"') }, input)), /in progress/],
  ['ignores transient-error',        parsing('authorize', (parse, reply, input) => parse({ ...reply, headers: {} }, input)), /issuer not reached/],
  ['trusts every 500 with transient-error', parsing('authorize', (parse, reply, input) => parse({ ...reply, headers: { ...reply.headers, 'transient-error': 'true' } }, input)), /issuer perhaps reached/],
  ['treats 401 as final',            parsing('authorize', (parse, reply, input) => { const outcome = parse(reply, input); return outcome.is === 'rejected' ? { is: 'rejected', fault: outcome.fault } : outcome }), /API key not accepted/],
  ['ignores references',             parsing('authorize', (parse, reply, input) => parse({ ...reply, body: reply.body.replace(/"merchantReference":"[^"]*"/, `"merchantReference":"${input.reference}"`) }, input)), /a different reference/],
  ['reports the requested amount',   parsing('authorize', (parse, reply, input) => { const outcome = parse(reply, input); return outcome.is === 'succeeded' ? { ...outcome, money: input.money } : outcome }), /a different amount/],
  ['assumes a missing amount',       parsing('authorize', (parse, reply, input) => { const outcome = parse(reply, input); return outcome.is === 'unknown' && outcome.fault.code === 'amount_missing' ? { is: 'succeeded', ref: outcome.ref ?? '', money: input.money } : outcome }), /no amount/],
  ['trusts every webhook',           receiving({ verify: () => 'valid' }),                                          /with a different body/],
  ['accepts only one key',           receiving({ verify: (call, { config, ...rest }) => webhooks.verify(call, { ...rest, config: { ...config, webhook_secrets: { hmac_key: (config.webhook_secrets.hmac_key ?? []).slice(0, 1) } } }) }), /rotate/],
  ['parses only the first item',     receiving({ parse: (body) => webhooks.parse(body).slice(0, 1) }),              /parsed correctly/],
  ['cannot resolve a lost payer',    { ...adyen, resolve: { ...adyen.resolve, completedByUs: false } },             /registered/],
])('a connector that %s is detected', (_, provider, expectedFault) => {
  expect(faultsOf(adyen)).toEqual([])
  expect(faultsOf(provider).join('\n')).toMatch(expectedFault)
})
