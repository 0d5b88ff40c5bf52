import { type Static, Type } from 'typebox'
import { IdOf, mostlyNull, nullable, OneOf, shownNullable, Time } from '../../kernel/shapes.ts'
import { DunningPolicyObject } from '../dunning-policies/schema.ts'
import { type DunningCampaign, type Step, statuses } from './dunning-campaign.ts'

const { retry_days, local_hour, jitter_minutes, grace, final } = DunningPolicyObject.properties

const StepShape = Type.Object({
  due_at: { ...Time, description: 'When it is tried.' },
  planned_at: { ...Time, description: 'When it was to be tried, before it was moved.' },
  moved: nullable(
    OneOf(['payday', 'too_soon', 'requested', 'new_card'], {
      description:
        'Why it was moved: to a day on which people are paid, away from the try before, because somebody asked for it, or because there is another card.',
    }),
  ),
  attempted_at: mostlyNull({ ...Time, description: 'When it was tried.' }),
  payment_id: nullable(IdOf('payment')),
  code: nullable(Type.String({ description: 'Why it failed.', examples: ['insufficient_funds'] })),
})

export const DunningCampaignObject = Type.Object(
  {
    id: IdOf('dunning_campaign'),
    object: Type.Literal('dunning_campaign'),
    status: OneOf(statuses, {
      description:
        '`running`; `recovered`: the invoice was paid; `exhausted`: nothing helped, and what the policy says has happened; `stopped`: by you, or because nothing is owed any more.',
    }),
    invoice_id: IdOf('invoice'),
    subscription_id: IdOf('subscription'),
    customer_id: IdOf('customer'),
    policy: Type.Object(
      {
        dunning_policy_id: nullable(IdOf('dunning_policy')),
        retry_days,
        local_hour,
        jitter_minutes,
        grace,
        final,
      },
      { description: 'The policy as it was when the campaign began.' },
    ),
    failed_at: { ...Time, description: 'When the first try failed.' },
    steps: Type.Array(StepShape, { description: 'Each further try: when, why then, and what came of it.' }),
    waits_for: nullable(
      OneOf(['customer', 'new_card'], {
        description: 'Nothing is tried by itself: the customer has to act, or there has to be another card.',
      }),
    ),
    next_attempt_at: shownNullable({ ...Time, description: 'When it is tried next.' }),
    ends_at: { ...Time, description: 'When it ends at the latest.' },
    ended_at: mostlyNull({ ...Time, description: 'When it ended.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'DunningCampaign', description: 'The tries to collect one invoice whose first charge failed.' },
)

export const DunningCampaignPath = Type.Object({ dunning_campaign_id: IdOf('dunning_campaign') })

export function present(campaign: DunningCampaign): Static<typeof DunningCampaignObject> {
  const { policy } = campaign
  return {
    id: campaign.id,
    object: 'dunning_campaign',
    status: campaign.status,
    invoice_id: campaign.invoiceId,
    subscription_id: campaign.subscriptionId,
    customer_id: campaign.customerId,
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
