// The fixtures detect broken variants of the PayPal connector.

import { expect, test } from 'vitest'
import { conformanceOf } from '../conformance.ts'
import type {
  ConnectorConfig,
  Found,
  HttpCall,
  HttpReply,
  OperationInput,
  Outcome,
  Provider,
} from '../contract.ts'
import { certificate, kit } from './fixtures/kit.ts'
import { paypal } from './provider.ts'

type PayPal = Provider<ConnectorConfig>
type Kind = 'authorize' | 'capture' | 'void' | 'refund'
type Parse = (reply: HttpReply, input: OperationInput) => Outcome

function stepOf(kind: Kind) {
  const step = paypal.operations[kind]
  if (step === undefined) throw new Error(`PayPal has no ${kind}.`)
  return step
}

function building(kind: Kind, change: (call: HttpCall, input: OperationInput) => HttpCall): PayPal {
  const step = stepOf(kind)
  const build: typeof step.build = (input, context) => change(step.build(input, context), input)
  return { ...paypal, operations: { ...paypal.operations, [kind]: { ...step, build } } }
}

function parsing(kind: Kind, change: (parse: Parse) => Parse): PayPal {
  const step = stepOf(kind)
  return { ...paypal, operations: { ...paypal.operations, [kind]: { ...step, parse: change(step.parse) } } }
}

/** Changes the response before it is parsed. */
const reading = (kind: Kind, change: (body: string, input: OperationInput) => string) =>
  parsing(kind, (parse) => (reply, input) => parse({ ...reply, body: change(reply.body, input) }, input))

const onSuccess = (
  kind: Kind,
  change: (outcome: Extract<Outcome, { is: 'succeeded' }>, input: OperationInput) => Outcome,
) =>
  parsing(kind, (parse) => (reply, input) => {
    const outcome = parse(reply, input)
    return outcome.is === 'succeeded' ? change(outcome, input) : outcome
  })

const lookingUp = (change: (found: Found) => Found): PayPal => {
  const { lookup } = paypal
  if (lookup === undefined) throw new Error('PayPal has no lookup.')
  return { ...paypal, lookup: { ...lookup, parse: (reply, input) => change(lookup.parse(reply, input)) } }
}

const verifying = (verify: NonNullable<PayPal['webhooks']>['verify']): PayPal =>
  ({ ...paypal, webhooks: { ...paypal.webhooks, verify } }) as PayPal

const without = (name: string) => (call: HttpCall) => {
  const { [name]: _, ...headers } = call.headers
  return { ...call, headers }
}

function faultsOf(provider: PayPal): string[] {
  return conformanceOf(provider, kit)
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}

const declined = { is: 'declined', decline: { code: 'generic_decline' } } as const

test('the connector itself has no fault', () => {
  expect(faultsOf(paypal)).toEqual([])
})

// biome-ignore format: a table.
test.each<[string, PayPal, RegExp]>([
  ['sends no idempotency key',           building('authorize', without('paypal-request-id')),                       /golden/],
  ['refunds without idempotency key',    building('refund', without('paypal-request-id')),                          /golden/],
  ['requests a minimal response',        building('authorize', without('prefer')),                                  /golden/],
  ['refunds the authorization',          building('refund', (call, { parent }) => ({ ...call, url: call.url.replace(/captures\/\w+/, `captures/${parent?.providerReference}`) })), /refund a capture/],
  ['captures instead of authorizing',    building('authorize', (call) => ({ ...call, body: call.body?.replace('"AUTHORIZE"', '"CAPTURE"') ?? null })), /golden/],
  ['reads a decline as a success',       reading('authorize', (body) => body.replaceAll('"DECLINED"', '"COMPLETED"')), /insufficient funds/],
  ['trusts the status of the order',     parsing('authorize', (parse) => (reply, input) => reply.body.includes('"status":"COMPLETED"') ? { is: 'succeeded', ref: '1', money: input.money } : parse(reply, input)), /insufficient funds/],
  ['reads authorized as captured',       reading('authorize', (body) => body.replace('"authorizations"', '"captures"').replace('"CREATED"', '"COMPLETED"')), /authorized only/],
  ['reads captured as authorized',       reading('authorize', (body, { capture }) => capture ? body : body.replace('"captures"', '"authorizations"').replace('"status":"COMPLETED","amount"', '"status":"CREATED","amount"')), /captured instead/],
  ['reads pending as captured',          reading('authorize', (body) => body.replace('"PENDING"', '"COMPLETED"')),  /pending review/],
  ['reads a failed capture as declined', reading('capture', (body) => body.replace('"FAILED"', '"DECLINED"')),      /failed/],
  ['reads a pending refund as refunded', reading('refund', (body) => body.replace('"PENDING"', '"COMPLETED"')),     /pending/],
  ['ignores the reference of orders',    reading('authorize', (body, { reference }) => body.replaceAll(/"(reference_id|invoice_id)":"[^"]*"/g, `"$1":"${reference}"`)), /a different reference/],
  ['ignores the invoice of captures',    reading('capture', (body, { reference }) => body.replace(/"invoice_id":"[^"]*"/, `"invoice_id":"${reference}"`)), /another capture/],
  ['reports the requested amount',       onSuccess('authorize', (outcome, { money }) => ({ ...outcome, money })),   /a different amount/],
  ['has no decimal places',              onSuccess('authorize', (outcome) => ({ ...outcome, money: { ...outcome.money, amount: outcome.money.amount / 100n } })), /returned unchanged/],
  ['has two decimal places for yen',     onSuccess('authorize', (outcome) => outcome.money.currency === 'jpy' ? { ...outcome, money: { ...outcome.money, amount: outcome.money.amount * 100n } } : outcome), /jpy is returned unchanged/],
  ['treats every 422 as a decline',      parsing('authorize', (parse) => (reply, input) => reply.status === 422 ? declined : parse(reply, input)), /duplicate invoice/],
  ['treats 409 as a rejection',          parsing('capture', (parse) => (reply, input) => reply.status === 409 ? { is: 'rejected', fault: { code: 'x', message: '' } } : parse(reply, input)), /in progress/],
  ['treats 500 as a decline',            parsing('authorize', (parse) => (reply, input) => reply.status >= 500 ? declined : parse(reply, input)), /internal error/],
  ['treats 401 as final',                parsing('authorize', (parse) => (reply, input) => { const outcome = parse(reply, input); return outcome.is === 'rejected' ? { is: 'rejected', fault: outcome.fault } : outcome }), /bad token/],
  ['accepts a void without details',     parsing('void', (parse) => (reply, input) => reply.status === 204 ? { is: 'succeeded', ref: '1', money: input.money } : parse(reply, input)), /no details/],
  ['voids the captured amount too',      onSuccess('void', (outcome) => ({ ...outcome, money: { amount: 1099n, currency: 'eur' } })), /rest voided/],
  ['closes orders of waiting payers',    lookingUp((found) => found.is === 'unknown' && found.fault.code === 'unpaid_order' ? { is: 'closed' } : found), /payer not back yet/],
  ['closes orders that have expired',    lookingUp((found) => found.is === 'absent' ? { is: 'closed' } : found),    /expired order/],
  ['captures after a cancellation',      { ...paypal, complete: { ...paypal.complete, build: (input, context) => paypal.complete?.build({ ...input, returnParams: {} }, context) } } as PayPal, /payer cancelled/],
  ['trusts every webhook',               verifying(() => 'valid'),                                                  /with a different body/],
  ['trusts unsigned webhooks',           verifying((call, context) => paypal.webhooks?.verify(call, context) === 'valid' ? 'valid' : 'unsigned'), /with a different body/],
  ['ignores the signature time',         verifying((call, context) => paypal.webhooks?.verify(call, { ...context, now: kit.now }) ?? 'invalid'), /late/],
  ['accepts only the newest webhook id', verifying((call, { config, ...context }) => paypal.webhooks?.verify(call, { config: { ...config, webhook_secrets: { webhook_id: (config.webhook_secrets.webhook_id ?? []).slice(0, 1) } }, ...context }) ?? 'invalid'), /rotate/],
  ['ignores the webhook id',             verifying((call, context) => paypal.webhooks?.verify(call, { ...context, config: kit.config, certificate }) ?? 'invalid'), /signed with a different secret/],
  ['cannot resolve outcomes',            { ...paypal, resolve: { ...paypal.resolve, replayHours: 0, lookup: 'none' } }, /registered/],
])('a connector that %s is detected', (_, provider, expectedFault) => {
  expect(faultsOf(provider).join('\n')).toMatch(expectedFault)
})
