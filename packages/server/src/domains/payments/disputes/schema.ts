import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  mostlyNull,
  nullableWithExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { disputeReasons, disputeStages } from '../../../providers/contract.ts'
import { Amount, CurrencyCode, timeOrNull } from '../payments/schema/payment.ts'
import type { Dispute } from './dispute.ts'
import { statuses } from './machine.ts'

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
        '`inquiry`: the bank asks for information, and no money has moved. `chargeback`: the bank claims the amount. `pre_arbitration` and `arbitration`: one side contests the result of the stage before.',
      examples: ['chargeback'],
      loggable: true,
    }),
    status: OneOf(statuses, {
      description:
        '`needs_response`: respond by `respond_by_at`, or the dispute is lost. `under_review`: the bank is reviewing the dispute. `won`: you keep the amount. `lost`: the cardholder keeps the amount. `closed`: an inquiry ended without a chargeback. A won dispute can become `needs_response` again in its next stage.',
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
    ended_at: mostlyNull({
      ...Time,
      description: 'Time the dispute was won, lost or closed. Null while it is open.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Dispute',
    description: 'A cardholder’s claim, made at their bank, to get the amount of a payment back.',
  },
)

function nullableFee() {
  return mostlyNull(
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
}

export function present(dispute: Dispute): Static<typeof DisputeObject> {
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
    ended_at: timeOrNull(dispute.endedAt),
    created_at: dispute.createdAt.toISOString(),
    updated_at: dispute.updatedAt.toISOString(),
  }
}
