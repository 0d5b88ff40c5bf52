import { type Static, Type } from 'typebox'
import { type Checkup, checkStatuses } from '../../../kernel/checkup.ts'
import { nullable, OneOf } from '../../../kernel/shapes.ts'

const status = OneOf(checkStatuses, {
  description:
    '`ok`: the check passed. `warn`: it works now, but needs attention before it fails. `fail`: something does not work.',
  examples: ['ok'],
})

export const SystemObject = Type.Object(
  {
    object: Type.Literal('system'),
    status,
    checks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Stable identifier of the check.', examples: ['partitions'] }),
        title: Type.String({ description: 'Human-readable title of the check.', examples: ['Partitions'] }),
        status,
        detail: Type.String({
          description: 'Result of the check.',
          examples: ['The partitions for today and the next period exist.'],
        }),
        advice: nullable(
          Type.String({ description: 'What to do about the result. Null if nothing needs to be done.' }),
        ),
      }),
      { description: 'Checks and their results.' },
    ),
  },
  { $id: 'System', description: 'Results of the installation checks.' },
)

export function presentSystem({ status: worst, checks }: Checkup): Static<typeof SystemObject> {
  // The ids are omitted, because they may belong to other organizations.
  const checksWithoutIds = checks.map(({ which: _, ...check }) => check)
  return { object: 'system', status: worst, checks: checksWithoutIds }
}
