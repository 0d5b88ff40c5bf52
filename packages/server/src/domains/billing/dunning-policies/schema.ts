import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, Metadata, MetadataChange, OneOf, UpdatedAt } from '../../../kernel/shapes.ts'
import {
  type DunningPolicy,
  graceOptions,
  invoiceFinalActions,
  maxRetries,
  maxRetryDay,
  subscriptionFinalActions,
} from './dunning-policy.ts'

const Final = Type.Object(
  {
    subscription: OneOf(subscriptionFinalActions, {
      description:
        'What happens to the subscription if every retry fails. `pause`: it is paused, and resumes when all its overdue invoices are paid. `cancel`: it is cancelled. `mark_unpaid` and `keep`: it continues with an outstanding balance.',
    }),
    invoice: OneOf(invoiceFinalActions, {
      description:
        'What happens to the invoice if every retry fails, or it is not paid after the last reminder.',
    }),
  },
  { additionalProperties: false, description: 'Actions taken if every retry fails.' },
)

const members = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of the policy.',
    examples: ['Patient'],
  }),
  retry_days: Type.Array(Type.Integer({ minimum: 1, maximum: maxRetryDay }), {
    minItems: 1,
    maxItems: maxRetries,
    description:
      'Days of the retries, counted from the first failure, in ascending order. The campaign ends with the last one.',
    examples: [[1, 3, 6, 10, 15, 21, 27]],
  }),
  reminder_days: Type.Array(Type.Integer({ minimum: -maxRetryDay, maximum: maxRetryDay }), {
    minItems: 1,
    maxItems: maxRetries,
    description:
      'Days on which customers are reminded of invoices with `collection_method: send_invoice`, counted from the due date, in ascending order. Negative days are before the due date. Seven days after the last reminder, or after the due date if that is later, `final.invoice` is applied.',
    examples: [[-3, 1, 7, 14]],
  }),
  local_hour: Type.Integer({
    minimum: 0,
    maximum: 23,
    description: 'Hour of the day for retries and reminders, in UTC.',
    examples: [9],
  }),
  jitter_minutes: Type.Integer({
    minimum: 0,
    maximum: 120,
    description: 'Maximum number of minutes by which a retry is randomly moved before or after `local_hour`.',
    examples: [30],
  }),
  grace: OneOf(graceOptions, {
    description:
      '`campaign`: access is granted while retries continue. `none`: access ends with the first failure.',
  }),
  final: Final,
}

export const DunningPolicyObject = Type.Object(
  {
    id: IdOf('dunning_policy'),
    object: Type.Literal('dunning_policy'),
    ...members,
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'DunningPolicy',
    description: 'When failed charges are retried, and what happens if every retry fails.',
  },
)

export const DunningPolicyPath = Type.Object({ dunning_policy_id: IdOf('dunning_policy') })

const { name: _, ...optional } = members
const changeable = {
  ...Type.Partial(Type.Object(optional)).properties,
  metadata: Type.Optional(MetadataChange),
}
export const CreateDunningPolicy = Type.Object(
  { name: members.name, ...changeable },
  { additionalProperties: false },
)
export const UpdateDunningPolicy = Type.Object(
  { name: Type.Optional(members.name), ...changeable },
  { additionalProperties: false },
)
export type CreateDunningPolicy = Static<typeof CreateDunningPolicy>
export type UpdateDunningPolicy = Static<typeof UpdateDunningPolicy>

export function present(policy: DunningPolicy): Static<typeof DunningPolicyObject> {
  return {
    id: policy.id,
    object: 'dunning_policy',
    name: policy.name,
    retry_days: [...policy.retryDays],
    reminder_days: [...policy.reminderDays],
    local_hour: policy.localHour,
    jitter_minutes: policy.jitterMinutes,
    grace: policy.grace,
    final: { ...policy.final },
    metadata: policy.metadata,
    created_at: policy.createdAt.toISOString(),
    updated_at: policy.updatedAt.toISOString(),
  }
}
