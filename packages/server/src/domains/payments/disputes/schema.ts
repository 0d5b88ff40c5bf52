import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import {
  disputeReasons,
  disputeStages,
  type EvidenceField,
  evidenceFields,
} from '../../../providers/contract.ts'
import { Amount, CurrencyCode, timeOrNull } from '../payments/schema/payment.ts'
import { type Dispute, type DisputeWithEvidence, isOverdue } from './dispute.ts'
import { statuses } from './machine.ts'

const texts: { readonly [F in EvidenceField]: { readonly about: string; readonly maxLength: number } } = {
  explanation: { about: 'Why the dispute is not justified.', maxLength: 20_000 },
  product_description: { about: 'Product or service that was sold.', maxLength: 5_000 },
  customer_name: { about: 'Name of the customer.', maxLength: 500 },
  customer_email: { about: 'Email address of the customer.', maxLength: 500 },
  customer_ip: { about: 'IP address from which the customer made the purchase.', maxLength: 100 },
  billing_address: { about: 'Billing address of the customer.', maxLength: 2_000 },
  service_date: { about: 'Date on which the customer received the service.', maxLength: 100 },
  access_log: { about: 'Log that shows that the customer used the product.', maxLength: 20_000 },
  shipping_address: { about: 'Address that the product was sent to.', maxLength: 2_000 },
  shipping_carrier: { about: 'Carrier that delivered the product.', maxLength: 500 },
  shipping_date: { about: 'Date on which the product was shipped.', maxLength: 100 },
  shipping_tracking_number: { about: 'Tracking number of the delivery.', maxLength: 500 },
  cancellation_rebuttal: { about: 'Why the subscription was not cancelled.', maxLength: 5_000 },
  refund_refusal_explanation: { about: 'Why the customer is not entitled to a refund.', maxLength: 5_000 },
  duplicate_charge_explanation: { about: 'How this payment differs from the other one.', maxLength: 5_000 },
}

function evidenceMembers<T>(schemaOf: (field: EvidenceField) => T) {
  return Object.fromEntries(evidenceFields.map((field) => [field, schemaOf(field)])) as {
    readonly [F in EvidenceField]: T
  }
}

const Evidence = Type.Object(
  evidenceMembers((field) => nullableWithNullExample(Type.String({ description: texts[field].about }))),
  {
    description:
      'Evidence that you submit to the bank. A text field is null if it is not provided. Text fields are stored encrypted and deleted 180 days after the dispute has ended. `evidence` is null in events, because it may contain personal data: get the dispute to read them.',
  },
)

export const UpdateDispute = Type.Object(
  {
    evidence: Type.Optional(
      Type.Object(
        evidenceMembers((field) =>
          Type.Optional(
            nullable(Type.String({ maxLength: texts[field].maxLength, description: texts[field].about })),
          ),
        ),
        {
          additionalProperties: false,
          description: 'Text fields. Omitted members are unchanged; `null` clears a field.',
          examples: [{ explanation: 'The customer received the order on 14 November.' }],
        },
      ),
    ),
    file_ids: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 10,
        uniqueItems: true,
        description: 'Files of the evidence, at most ten. Replaces the list as a whole.',
        examples: [['file_test_01M7CYVGQTEAKSNTBFR026MPQ1']],
      }),
    ),
  },
  { additionalProperties: false },
)
export type UpdateDispute = Static<typeof UpdateDispute>

export const DisputeObject = Type.Object(
  {
    id: IdOf('dispute'),
    object: Type.Literal('dispute'),
    payment_id: IdOf('payment'),
    provider_account_id: IdOf('provider_account'),
    provider_reference: Type.String({
      description: 'ID assigned by the provider.',
      examples: ['dp_1SuJ0K2eZvKYlo2C'],
    }),
    stage: OneOf(disputeStages, {
      description:
        '`inquiry`: the bank asks for information, and no money has moved. `chargeback`: the bank claims the amount. `pre_arbitration` and `arbitration`: one side contests the result of the previous stage.',
      examples: ['chargeback'],
      loggable: true,
    }),
    status: OneOf(statuses, {
      description:
        '`needs_response`: respond by `respond_by_at`, or the dispute is lost. `submitting`: your evidence is being sent to the provider. `accepting`: the provider is being notified that you accept the dispute. `under_review`: the bank is reviewing the dispute. `won`: you keep the amount. `lost`: the cardholder keeps the amount. `closed`: an inquiry ended without a chargeback. A won dispute can become `needs_response` again in its next stage.',
      loggable: true,
    }),
    amount: Amount('Disputed amount in minor units, e.g. 1299 for €12.99.'),
    currency: CurrencyCode,
    amount_held: Amount(
      'Amount that the provider has withdrawn until the dispute is decided, in minor units. 0 once it has ended.',
    ),
    fee: nullableFee(),
    reason: OneOf(disputeReasons, {
      description: 'Why the cardholder disputes the payment.',
      examples: ['fraudulent'],
      loggable: true,
    }),
    network_reason_code: nullableWithExample(
      Type.String({
        description: 'Reason code of the card network. Null if the provider did not report one.',
        examples: ['10.4'],
      }),
    ),
    respond_by_at: nullableWithExample({
      ...Time,
      description:
        'Deadline for the response. Null if the provider did not report one. Only the provider ends a dispute: its status does not change when the deadline passes.',
      examples: ['2026-11-28T23:59:59.000Z'],
    }),
    overdue: Type.Boolean({
      description:
        'Whether `respond_by_at` has passed without a response while the status is `needs_response`. The provider may still accept one, but most disputes are then lost.',
      examples: [false],
      loggable: true,
    }),
    evidence: nullableWithExample(Evidence),
    file_ids: Type.Array(IdOf('file'), { description: 'Files of the evidence.', examples: [[]] }),
    response_error: nullableError(),
    ended_at: nullableWithNullExample({
      ...Time,
      description: 'Time the dispute was won, lost or closed. Null while it is open.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Dispute',
    description: 'A cardholder’s claim, made with their bank, to get the amount of a payment back.',
  },
)

function nullableError() {
  return nullableWithNullExample(
    Type.Object(
      {
        code: Type.String({ description: 'Error code.', loggable: true }),
        message: Type.String({ description: 'Explanation of the provider.' }),
      },
      {
        description:
          'Why the provider refused your last response. Nothing was processed: change the evidence and submit it again.',
      },
    ),
  )
}

function nullableFee() {
  return nullableWithNullExample(
    Type.Object(
      { amount: Amount('Fee in minor units.', 1500), currency: CurrencyCode },
      { description: 'Fee that the provider charges for the dispute. Null if it did not report one.' },
    ),
  )
}

export const DisputePath = Type.Object({ dispute_id: IdOf('dispute') })

/** At most one filter can be used, because each filter has its own index. */
export const ListDisputes = {
  payment_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only disputes of this payment.' })),
  status: Type.Optional(OneOf(statuses, { description: 'Only disputes with this status.' })),
  respond_by: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only disputes that need a response by this time, including overdue ones.',
      examples: ['2026-11-28T23:59:59.000Z'],
    }),
  ),
  overdue: Type.Optional(
    Type.Boolean({ description: '`true`: only overdue disputes. `false`: only the others.' }),
  ),
}

export function present(dispute: DisputeWithEvidence): Static<typeof DisputeObject> {
  const { evidence } = dispute
  return { ...presentInEvent(dispute), evidence: evidenceMembers((field) => evidence[field] ?? null) }
}

/** Without the text fields of the evidence. */
export function presentInEvent(dispute: Dispute): Static<typeof DisputeObject> {
  const { fee } = dispute
  return {
    id: dispute.id,
    object: 'dispute',
    payment_id: dispute.paymentId,
    provider_account_id: dispute.providerAccountId,
    provider_reference: dispute.providerReference,
    stage: dispute.stage,
    status: dispute.status,
    amount: Number(dispute.amount),
    currency: dispute.currency,
    amount_held: Number(dispute.amountHeld),
    fee: fee === null ? null : { amount: Number(fee.amount), currency: fee.currency },
    reason: dispute.reason,
    network_reason_code: dispute.networkReasonCode,
    respond_by_at: timeOrNull(dispute.respondByAt),
    overdue: isOverdue(dispute),
    evidence: null,
    file_ids: [...dispute.fileIds],
    response_error: dispute.responseError,
    ended_at: timeOrNull(dispute.endedAt),
    created_at: dispute.createdAt.toISOString(),
    updated_at: dispute.updatedAt.toISOString(),
  }
}
