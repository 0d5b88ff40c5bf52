import { type Static, Type } from 'typebox'
import { type Checkup, checkStatuses } from '../../kernel/checkup.ts'
import { nullable, OneOf } from '../../kernel/shapes.ts'

const status = OneOf(checkStatuses, {
  description: '`ok`, `warn`: it works, and will not for ever; `fail`: something does not work.',
  examples: ['ok'],
})

export const SystemObject = Type.Object(
  {
    object: Type.Literal('system'),
    status,
    checks: Type.Array(
      Type.Object({
        id: Type.String({ description: 'A name that stays.', examples: ['partitions'] }),
        title: Type.String({ description: 'What is checked, for people.', examples: ['Partitions'] }),
        status,
        detail: Type.String({
          description: 'What was found.',
          examples: ['There is room for today and ahead.'],
        }),
        advice: nullable(Type.String({ description: 'What to do about it. Null: nothing.' })),
      }),
      { description: 'What was checked, and what was found.' },
    ),
  },
  { $id: 'System', description: 'What the checks of the installation say.' },
)

export function presentSystem({ status: worst, checks }: Checkup): Static<typeof SystemObject> {
  // Without the ids: they may be those of other tenants.
  const shown = checks.map(({ which: _, ...check }) => check)
  return { object: 'system', status: worst, checks: shown }
}
