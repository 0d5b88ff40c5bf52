import { type Static, Type } from 'typebox'
import { IdOf, Metadata, MetadataChange, OneOf, Time } from '../../kernel/shapes.ts'
import {
  type DunningPolicy,
  finalForInvoices,
  finalForSubscriptions,
  graces,
  longestDays,
  maxRetries,
} from './dunning-policy.ts'

const Final = Type.Object(
  {
    subscription: OneOf(finalForSubscriptions, {
      description:
        'What becomes of the subscription if nothing helped. `pause`: paying resumes it. `mark_unpaid` and `keep`: it goes on, and owes.',
    }),
    invoice: OneOf(finalForInvoices, { description: 'What becomes of the invoice.' }),
  },
  { additionalProperties: false, description: 'What happens in the end.' },
)

const members = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'What it is called.',
    examples: ['Patient'],
  }),
  retry_days: Type.Array(Type.Integer({ minimum: 1, maximum: longestDays }), {
    minItems: 1,
    maxItems: maxRetries,
    description: 'When it is tried again: days after the first failure, rising. The last one is the end.',
    examples: [[1, 3, 6, 10, 15, 21, 27]],
  }),
  local_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'At which hour, in UTC.', examples: [9] }),
  jitter_minutes: Type.Integer({
    minimum: 0,
    maximum: 120,
    description: 'How far around that hour tries are spread.',
    examples: [30],
  }),
  grace: OneOf(graces, {
    description:
      'Whether access is granted while tries go on (`campaign`), or ends with the first failure (`none`).',
  }),
  final: Final,
}

export const DunningPolicyObject = Type.Object(
  {
    id: IdOf('dunning_policy'),
    object: Type.Literal('dunning_policy'),
    ...members,
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'DunningPolicy',
    description: 'When a failed charge is tried again, and what happens if nothing helps.',
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
    local_hour: policy.localHour,
    jitter_minutes: policy.jitterMinutes,
    grace: policy.grace,
    final: { ...policy.final },
    metadata: policy.metadata,
    created_at: policy.createdAt.toISOString(),
    updated_at: policy.updatedAt.toISOString(),
  }
}
