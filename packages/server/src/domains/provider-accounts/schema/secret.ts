import { type Static, Type } from 'typebox'

export const RotateSecret = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long the earlier secret goes on beside the new one. 0 ends it now.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RotateSecret = Static<typeof RotateSecret>
