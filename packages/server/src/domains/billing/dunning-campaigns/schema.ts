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
import { DunningPolicyObject } from '../dunning-policies/schema.ts'
import { type DunningCampaign, reasons, type Step, statuses } from './dunning-campaign.ts'

const { retry_days, local_hour, jitter_minutes, grace, final } = DunningPolicyObject.properties

const StepShape = Type.Object({
  due_at: { ...Time, description: 'Time of the retry.' },
  planned_at: { ...Time, description: 'Originally scheduled time, before the retry was moved.' },
  moved: nullable(
    OneOf(['payday', 'too_soon', 'requested', 'new_card'], {
      description:
        'Why the retry was moved. `payday`: to a likely payday. `too_soon`: it was too close to the previous attempt. `requested`: on request. `new_card`: a new card is available. Null if it was not moved.',
    }),
  ),
  attempted_at: nullableWithNullExample({
    ...Time,
    description: 'Time the retry was made. Null if it has not been made.',
  }),
  payment_id: nullable(IdOf('payment')),
  code: nullable(
    Type.String({
      description: 'Decline code. Null if the retry has not failed.',
      examples: ['insufficient_funds'],
    }),
  ),
})

export const DunningCampaignObject = Type.Object(
  {
    id: IdOf('dunning_campaign'),
    object: Type.Literal('dunning_campaign'),
    status: OneOf(statuses, {
      description:
        '`running`: retries are in progress. `recovered`: the invoice was paid. `exhausted`: every retry failed, and the final action of the policy was taken. `stopped`: stopped by you, or because the invoice is no longer owed.',
    }),
    reason: OneOf(reasons, {
      description:
        '`payment_failed`: the invoice could not be collected. `debit_returned`: the bank has returned the debit that had paid the invoice.',
      loggable: true,
    }),
    invoice_id: IdOf('invoice'),
    subscription_id: nullable(IdOf('subscription', 'Null for a one-off invoice.')),
    customer_id: IdOf('customer'),
    test_clock_id: nullableWithNullExample(IdOf('test_clock')),
    policy: Type.Object(
      {
        dunning_policy_id: nullable(IdOf('dunning_policy')),
        retry_days,
        local_hour,
        jitter_minutes,
        grace,
        final,
      },
      { description: 'Copy of the dunning policy at the start of the campaign.' },
    ),
    failed_at: { ...Time, description: 'Time the first collection attempt failed.' },
    steps: Type.Array(StepShape, { description: 'Retries, with their time, scheduling and result.' }),
    waits_for: nullable(
      OneOf(['customer', 'new_card'], {
        description:
          'Set if automatic retries are suspended until the customer acts (`customer`) or a new card is added (`new_card`). Null otherwise.',
      }),
    ),
    next_attempt_at: nullableWithExample({
      ...Time,
      description: 'Time of the next retry. Null if none is scheduled.',
    }),
    ends_at: { ...Time, description: 'Latest time at which the campaign ends.' },
    ended_at: nullableWithNullExample({
      ...Time,
      description: 'Time the campaign ended. Null while it is running.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'DunningCampaign', description: 'The retries to collect one invoice whose first charge failed.' },
)

export const DunningCampaignPath = Type.Object({ dunning_campaign_id: IdOf('dunning_campaign') })

export function present(campaign: DunningCampaign): Static<typeof DunningCampaignObject> {
  const { policy } = campaign
  return {
    id: campaign.id,
    object: 'dunning_campaign',
    status: campaign.status,
    reason: campaign.reason,
    invoice_id: campaign.invoiceId,
    subscription_id: campaign.subscriptionId,
    customer_id: campaign.customerId,
    test_clock_id: campaign.testClockId,
    policy: {
      dunning_policy_id: policy.id,
      retry_days: [...policy.retryDays],
      local_hour: policy.localHour,
      jitter_minutes: policy.jitterMinutes,
      grace: policy.grace,
      final: { ...policy.final },
    },
    failed_at: campaign.failedAt.toISOString(),
    steps: campaign.steps.map(presentStep),
    waits_for: campaign.waitsFor,
    next_attempt_at: nextAttemptOf(campaign)?.toISOString() ?? null,
    ends_at: campaign.endsAt.toISOString(),
    ended_at: campaign.endedAt?.toISOString() ?? null,
    created_at: campaign.createdAt.toISOString(),
    updated_at: campaign.updatedAt.toISOString(),
  }
}

function nextAttemptOf({ status, waitsFor, steps }: DunningCampaign): Date | null {
  if (status !== 'running' || waitsFor !== null) return null
  return steps.find(({ attemptedAt }) => attemptedAt === null)?.dueAt ?? null
}

function presentStep(step: Step): Static<typeof StepShape> {
  return {
    due_at: step.dueAt.toISOString(),
    planned_at: step.plannedAt.toISOString(),
    moved: step.moved,
    attempted_at: step.attemptedAt?.toISOString() ?? null,
    payment_id: step.paymentId,
    code: step.code,
  }
}
