// Mutants of the connectors: each row removes a guard from one connector, to prove that its tests detect the loss. A
// guard that no test protects could be removed unnoticed, and a payer would be charged twice or not at all.

import type { Patch } from '../money/mutants/table.ts'

export type ConnectorMutant = {
  /** The folder of the connector under `providers`. */
  readonly connector: string
  readonly name: string
  readonly removes: string
  readonly patches: readonly Patch[]
}

type Change = Omit<Patch, 'file'> & { readonly in: string }
type Row = { readonly name: string; readonly removes: string; readonly changes: readonly Change[] }

const mutantsOf = (connector: string, rows: readonly Row[]): readonly ConnectorMutant[] =>
  rows.map(({ name, removes, changes }) => ({
    connector,
    name: `${connector}.${name}`,
    removes,
    patches: changes.map(({ in: file, from, to }) => ({ file: `providers/${connector}/${file}`, from, to })),
  }))

const stripeMutants = mutantsOf('stripe', [
  {
    name: 'idempotency_key',
    removes: 'the idempotency key of every call',
    changes: [
      {
        in: 'request.ts',
        from: "{ ...headersOf(context), 'idempotency-key': idempotencyKey }",
        to: 'headersOf(context)',
      },
    ],
  },
  {
    name: 'decline',
    removes: 'declines: a declined card is a success',
    changes: [
      {
        in: 'response.ts',
        from: 'isUnprocessed ? declined(intent, error) : withoutSuccess(found, body)',
        to: 'isUnprocessed ? approved({ latest_charge: null, ...intent }, intent.amount) : withoutSuccess(found, body)',
      },
    ],
  },
  {
    name: 'authorized_is_not_captured',
    removes: 'the status and the amount that prove a capture',
    changes: [
      {
        in: 'response.ts',
        from: 'if (isCaptured && capture && chargeAgrees(intent, true)) return approved(intent, amount_received)',
        to: 'if (capture) return approved(intent, amount)',
      },
    ],
  },
  {
    name: 'webhook_signature',
    removes: 'the comparison of the signature of a webhook',
    changes: [{ in: 'webhooks.ts', from: 'pairs.includes(true) && Math.abs', to: 'Math.abs' }],
  },
  {
    name: 'exponent',
    removes: 'the two decimal places that Stripe uses for Icelandic krónur',
    changes: [{ in: 'currencies.ts', from: '{ isk: 2, mga: 0 }', to: '{ mga: 0 }' }],
  },
  {
    name: 'webhook_time',
    removes: 'the maximum age of a signature',
    changes: [{ in: 'webhooks.ts', from: ' && Math.abs(ageSeconds) <= toleranceSeconds', to: '' }],
  },
  {
    name: 'webhook_version',
    removes: 'the API version of a webhook: objects of another version are accepted',
    changes: [{ in: 'webhooks.ts', from: 'api_version === apiVersion', to: 'true' }],
  },
  {
    name: 'webhook_mode',
    removes: 'the mode of a webhook: a test event can end a live payment',
    changes: [{ in: 'webhooks.ts', from: 'isSigned && isOfSameMode(body, config)', to: 'isSigned' }],
  },
  {
    name: 'server_error',
    removes: 'unknown outcomes: an error of Stripe is a decline',
    changes: [
      {
        in: 'response.ts',
        from: 'if (![400, 402, 404, 409, 429].includes(status)) return unexpected(reply)',
        to: "if (![400, 402, 404, 409, 429].includes(status)) return { is: 'declined', decline: { code: 'generic_decline' } }",
      },
    ],
  },
  {
    name: 'reference',
    removes: 'our reference in a PaymentIntent: another payment is accepted',
    changes: [
      {
        in: 'response.ts',
        from: "if (intent.metadata[referenceKey] !== (kind === 'authorize' ? reference : parent?.reference))\n    throw new Unreadable('The PaymentIntent has another reference.')",
        to: '',
      },
    ],
  },
  {
    name: 'earlier_captures',
    removes: 'the amount of earlier captures, which the sum of a PaymentIntent contains',
    changes: [{ in: 'response.ts', from: 'received.amount - sumOf(input)', to: 'received.amount' }],
  },
])

const adyenMutants = mutantsOf('adyen', [
  {
    name: 'idempotency_key',
    removes: 'the idempotency key of every call',
    changes: [{ in: 'request.ts', from: "...(key === null ? {} : { 'idempotency-key': key }),", to: '' }],
  },
  {
    name: 'decline',
    removes: 'declines: a refused payment is a success',
    changes: [
      {
        in: 'response.ts',
        from: '      return refused(payment)',
        to: "      return { is: 'succeeded', ref: pspReference ?? '', money: input.money }",
      },
    ],
  },
  {
    name: 'authorized_is_not_captured',
    removes: 'the request for an immediate capture: an authorization counts as captured',
    changes: [{ in: 'request.ts', from: 'capture ? { captureDelayHours: 0 }', to: 'capture ? {}' }],
  },
  {
    name: 'received_is_not_captured',
    removes: 'the wait for the webhook: a received capture or refund is a success',
    changes: [
      {
        in: 'response.ts',
        from: "{ is: 'pending', ref }",
        to: "{ is: 'succeeded', ref, money: input.money }",
      },
    ],
  },
  {
    name: 'webhook_signature',
    removes: 'the comparison of the signature of a webhook',
    changes: [
      {
        in: 'webhooks.ts',
        from: "return itemsIn(text).every((item) => isSigned(item, keys)) ? 'valid' : 'invalid'",
        to: "return 'valid'",
      },
    ],
  },
  {
    name: 'webhook_batch',
    removes: 'the signatures of all items but one of a batch',
    changes: [{ in: 'webhooks.ts', from: 'itemsIn(text).every(', to: 'itemsIn(text).some(' }],
  },
  {
    name: 'webhook_success',
    removes: 'the member `success`: a webhook about a failure reports a success',
    changes: [
      {
        in: 'webhooks.ts',
        from: '  if (!isSuccess(item)) {\n    const codes',
        to: '  if (item.success === null) {\n    const codes',
      },
    ],
  },
  {
    name: 'webhook_key',
    removes: 'the form of keys: an invalid key is an empty one, with which anyone can sign',
    changes: [
      {
        in: 'webhooks.ts',
        from: '(config.webhook_secrets.hmac_key ?? []).filter((key) => /^[0-9a-f]{64}$/i.test(key))',
        to: 'config.webhook_secrets.hmac_key ?? []',
      },
    ],
  },
  {
    name: 'exponent',
    removes: 'the decimal places that differ from ISO 4217',
    changes: [{ in: 'currencies.ts', from: '{ clp: 2, cve: 0, idr: 0, isk: 2 }', to: '{}' }],
  },
  {
    name: 'in_progress',
    removes: 'unknown outcomes: a request that is still processed is a rejection',
    changes: [
      {
        in: 'response.ts',
        from: "return unknown('request_in_progress', message)",
        to: "return rejected('provider_request_invalid', message)",
      },
    ],
  },
  {
    name: 'reference',
    removes: 'our reference in a payment: another payment is accepted',
    changes: [
      {
        in: 'response.ts',
        from: "if (key === 'different' || names.some((name) => name !== input.reference)) return false",
        to: '',
      },
    ],
  },
])

const mollieMutants = mutantsOf('mollie', [
  {
    name: 'idempotency_key',
    removes: 'the idempotency key of every call',
    changes: [{ in: 'request.ts', from: "headers: { 'idempotency-key': reference } })", to: '})' }],
  },
  {
    name: 'decline',
    removes: 'declines: a failed payment is a success',
    changes: [
      {
        in: 'response.ts',
        from: 'return wasApproved(payment) ? ended(payment) : failed(payment)',
        to: "return { is: 'succeeded', ref: payment.id, money: moneyOf(payment.amount) }",
      },
    ],
  },
  {
    name: 'authorized_is_not_captured',
    removes: 'the status that proves a capture',
    changes: [
      {
        in: 'response.ts',
        from: "? status === 'paid' && captureMode !== 'manual' && (captured",
        to: '? (captured',
      },
    ],
  },
  {
    name: 'webhook_is_unsigned',
    removes: 'the rule that a webhook without a signature proves nothing',
    changes: [{ in: 'webhooks.ts', from: "verify: () => 'unsigned'", to: "verify: () => 'valid'" }],
  },
  {
    name: 'exponent',
    removes: 'the decimal places of the currency: every amount has two',
    changes: [
      {
        in: 'request.ts',
        from: 'value: toDecimal(money)',
        to: 'value: (Number(money.amount) / 100).toFixed(2)',
      },
    ],
  },
  {
    name: 'exponent_of_responses',
    removes: 'the decimal places of the currency in responses: every amount has two',
    changes: [
      {
        in: 'response.ts',
        from: 'fromDecimal(value, currency)',
        to: '{ amount: BigInt(Math.round(Number(value) * 100)), currency: currency.toLowerCase() }',
      },
    ],
  },
  {
    name: 'pending_refund',
    removes: 'pending refunds: a queued refund is a success',
    changes: [
      {
        in: 'response.ts',
        from: "if (status === 'refunded') return",
        to: "if (status === 'refunded' || status === 'queued' || status === 'pending') return",
      },
    ],
  },
  {
    name: 'conflict',
    removes: 'unknown outcomes: the status 409, which proves nothing, is a rejection',
    changes: [
      {
        in: 'response.ts',
        from: 'if (status === 400 || status === 404',
        to: 'if (status === 409 || status === 404',
      },
    ],
  },
  {
    name: 'saved_card',
    removes: 'the rule that the decline of a saved card without a payment proves nothing',
    changes: [{ in: 'response.ts', from: 'isNewCard(input) && isCardError', to: 'isCardError' }],
  },
  {
    name: 'mode',
    removes: 'the mode of a response: a test payment is accepted in live mode',
    changes: [
      {
        in: 'response.ts',
        from: "if (mode !== requestedMode) throw new Unreadable('The response is about a different mode.')",
        to: '',
      },
    ],
  },
  {
    name: 'payment_of_refund',
    removes: 'the payment of a capture or refund: one that belongs to another payment is accepted',
    changes: [
      {
        in: 'response.ts',
        from: "if (object.paymentId !== paymentIdOf(parent))\n    throw new Unreadable('The response is about a different payment.')",
        to: '',
      },
    ],
  },
])

const checkoutComMutants = mutantsOf('checkout-com', [
  {
    name: 'idempotency_key',
    removes: 'the idempotency key of every call',
    changes: [{ in: 'request.ts', from: ", 'cko-idempotency-key': input.reference }", to: ' }' }],
  },
  {
    name: 'decline',
    removes: 'declines: a declined payment is a success',
    changes: [
      {
        in: 'response.ts',
        from: 'approved === false) return declined(ref, declineReport(payment))',
        to: 'approved === false) return succeeded(payment, input)',
      },
    ],
  },
  {
    name: 'authorized_is_not_captured',
    removes: 'the wait for the capture: an authorized payment counts as captured',
    changes: [
      {
        in: 'response.ts',
        from: "status === 'Authorized') return { is: 'pending', ref }",
        to: "status === 'Authorized') return succeeded(payment, input)",
      },
    ],
  },
  {
    name: 'webhook_signature',
    removes: 'the comparison of the signature of a webhook',
    changes: [
      {
        in: 'webhooks.ts',
        from: "return matches.includes(true) ? 'valid' : 'invalid'",
        to: "return 'valid'",
      },
    ],
  },
  {
    name: 'exponent',
    removes: 'the two decimal places that Checkout.com uses for Chilean pesos',
    changes: [{ in: 'currencies.ts', from: '{ clp: 2 }', to: '{}' }],
  },
  {
    name: 'unlisted_action',
    removes: 'unknown outcomes: a capture or refund that is not listed yet does not exist',
    changes: [
      {
        in: 'response.ts',
        from: "? unknown('action_not_found', 'The provider does not list the action, at least not yet.')",
        to: "? { is: 'absent' }",
      },
    ],
  },
  {
    name: 'duplicate',
    removes: 'unknown outcomes: an error that does not prove anything, such as a duplicate, is a rejection',
    changes: [
      {
        in: 'response.ts',
        from: 'status === 422 && isValidationError(body)',
        to: 'status === 422 && isError(body)',
      },
    ],
  },
  {
    name: 'partial_approval',
    removes: 'the rule that a partial approval is not an approval',
    changes: [{ in: 'declines.ts', from: " && code !== '10010'", to: '' }],
  },
  {
    name: 'retried_decline',
    removes: 'the rule that a decline which Checkout.com retries is not final',
    changes: [{ in: 'declines.ts', from: '!isFinal || (retry ?? null) !== null', to: '!isFinal' }],
  },
  {
    name: 'several_payments',
    removes: 'the check that a search has found one payment',
    changes: [
      {
        in: 'response.ts',
        from: 'if (count !== data.length || count > 1)',
        to: 'if (count !== data.length)',
      },
    ],
  },
  {
    name: 'webhook_approval',
    removes: 'the lookup after an approval: the webhook does not state whether the payment is captured',
    changes: [
      {
        in: 'webhooks.ts',
        from: "payment_approved: { kind: 'authorize', reports: 'change' }",
        to: "payment_approved: { kind: 'authorize', reports: 'success' }",
      },
    ],
  },
])

const paypalMutants = mutantsOf('paypal', [
  {
    name: 'idempotency_key',
    removes: 'the idempotency key of every call',
    changes: [{ in: 'request.ts', from: "'paypal-request-id': requestId, ", to: '' }],
  },
  {
    name: 'decline',
    removes: 'declines: a declined capture is a success',
    changes: [{ in: 'response.ts', from: "['DECLINED', 'declined']", to: "['DECLINED', 'succeeded']" }],
  },
  {
    name: 'authorized_is_not_captured',
    removes: 'the kind of payment in an order: an authorization counts as captured',
    changes: [
      {
        in: 'response.ts',
        from: "payment.type === (input.capture ? 'capture' : 'authorization')",
        to: 'true',
      },
      {
        in: 'response.ts',
        from: '  requireReference(order.intent ?? intentOf({ capture }), intentOf({ capture }))\n',
        to: '',
      },
    ],
  },
  {
    name: 'webhook_signature',
    removes: 'the comparison of the signature of a webhook',
    changes: [{ in: 'webhooks.ts', from: "return isSigned ? 'valid' : 'invalid'", to: "return 'valid'" }],
  },
  {
    name: 'webhook_certificate',
    removes: 'the name in the certificate that signs webhooks',
    changes: [{ in: 'webhooks.ts', from: 'leaf?.checkHost(subject) === undefined || leaf.', to: 'leaf?.' }],
  },
  {
    name: 'exponent',
    removes: 'the decimal places of the currency: every amount has two',
    changes: [
      {
        in: 'request.ts',
        from: 'value: toDecimal(money)',
        to: 'value: (Number(money.amount) / 100).toFixed(2)',
      },
    ],
  },
  {
    name: 'exponent_of_responses',
    removes: 'the decimal places of the currency in responses: every amount has two',
    changes: [
      {
        in: 'response.ts',
        from: 'fromDecimal(amount.value, amount.currency_code)',
        to: '{ amount: BigInt(Math.round(Number(amount.value) * 100)), currency: amount.currency_code.toLowerCase() }',
      },
    ],
  },
  {
    name: 'pending_capture',
    removes: 'pending captures: a capture under review is a success',
    changes: [
      {
        in: 'response.ts',
        from: "['PENDING', 'pending'],\n    ['DECLINED'",
        to: "['PENDING', 'succeeded'],\n    ['DECLINED'",
      },
    ],
  },
  {
    name: 'unpaid_order',
    removes: 'the wait until no call can still pay an unpaid order',
    changes: [
      {
        in: 'response.ts',
        from: 'if (isUnpaid && readAt >= addMinutes(createdAt, unpaidMinutes))',
        to: 'if (isUnpaid)',
      },
    ],
  },
  {
    name: 'refund_reference',
    removes: 'our reference in a refund: one that was made at PayPal is accepted',
    changes: [
      {
        in: 'response.ts',
        from: '  requireReference(refund.custom_id === mark ? mark : refund.invoice_id, mark)\n',
        to: '',
      },
    ],
  },
  {
    name: 'cancelled_payer',
    removes: 'the rule that a payer who cancelled is not charged',
    changes: [
      {
        in: 'request.ts',
        from: 'if (cancelledParam in input.returnParams) return get(context, path, input.reference)',
        to: '',
      },
    ],
  },
])

export const connectorMutants: readonly ConnectorMutant[] = [
  ...stripeMutants,
  ...adyenMutants,
  ...mollieMutants,
  ...checkoutComMutants,
  ...paypalMutants,
]
