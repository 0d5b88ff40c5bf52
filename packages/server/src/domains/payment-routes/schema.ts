import { type Static, Type } from 'typebox'
import {
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  mostlyNull,
  nullable,
  OneOf,
  Time,
} from '../../kernel/shapes.ts'
import { statuses } from './machine.ts'
import {
  type Definition,
  errorsOfRoutes,
  type Finding,
  type PaymentRoute,
  type Revision,
  type SavedRoute,
  warningsOfRoutes,
} from './payment-route.ts'
import { definitionInput, definitionMembers } from './schema/definition.ts'

const revisionNumber = (description: string) => Type.Integer({ minimum: 1, description, examples: [12] })

const members = {
  id: IdOf('payment_route'),
  object: Type.Literal('payment_route'),
  status: OneOf(statuses, { description: '`archived`: no new payments are made by it.' }),
  is_default: Type.Boolean({
    description: 'Whether payments that name no route are made by it. A workspace has one default at most.',
    examples: [false],
  }),
  revision: nullable(revisionNumber('The revision that is published. Null before the first.')),
  latest_revision: revisionNumber(
    'The newest revision. If it is not the one that is published, it is a draft.',
  ),
  ...definitionMembers,
  metadata: Metadata,
  created_at: Time,
  updated_at: Time,
}

export const PaymentRouteObject = Type.Object(members, {
  $id: 'PaymentRoute',
  description:
    'What is shown is what is published; before the first publication, what the newest draft says.',
})

export const FindingObject = Type.Object(
  {
    severity: OneOf(['error', 'warning'], { description: 'Errors keep a route from being published.' }),
    code: OneOf([...errorsOfRoutes, ...warningsOfRoutes], { description: 'What is wrong.' }),
    pointer: Type.String({ description: 'Where, as a JSON pointer into the route.', examples: ['/rules/2'] }),
    detail: Type.String({
      description: 'Why, for people.',
      examples: ['No payment gets here: rule 1 takes all that it matches.'],
    }),
  },
  { $id: 'PaymentRouteFinding', description: 'Something about a route that is wrong, or may be.' },
)

const lint = Type.Array(FindingObject, { description: 'What the lint says of the revision that was saved.' })

export const SavedRouteObject = Type.Object(
  { ...members, lint },
  { $id: 'SavedPaymentRoute', description: 'A route after it was saved, with what is wrong with it.' },
)

export const RevisionObject = Type.Object(
  {
    id: IdOf('payment_route_revision'),
    object: Type.Literal('payment_route_revision'),
    payment_route_id: IdOf('payment_route'),
    number: revisionNumber('Counted within the route.'),
    ...definitionMembers,
    copy_of: nullable(revisionNumber('Of a roll back: the revision that it is a copy of.')),
    api_token_id: nullable(IdOf('api_token', 'Who wrote it.')),
    published_at: mostlyNull(Type.String({ ...Time, description: 'Null if it was never published.' })),
    created_at: Time,
  },
  { $id: 'PaymentRouteRevision', description: 'A route as it was saved once. It never changes.' },
)

export const PaymentRoutePath = Type.Object({ payment_route_id: IdOf('payment_route') })
export const RevisionPath = Type.Object({
  payment_route_id: IdOf('payment_route'),
  revision: Type.String({ maxLength: 100, description: 'The number of the revision.', examples: ['12'] }),
})
export const DeletedRoute = Deleted('payment_route', 'DeletedPaymentRoute')

const draft = Type.Optional(
  Type.Boolean({
    description: 'Saves it without publishing. A draft may have errors.',
    default: false,
  }),
)
const isDefault = Type.Optional(
  Type.Boolean({ description: 'Makes it the default in place of the one before, or no default any more.' }),
)
const metadata = Type.Optional(MetadataChange)

export const CreatePaymentRoute = Type.Object(
  { ...definitionInput, draft, is_default: isDefault, metadata },
  { additionalProperties: false },
)
export type CreatePaymentRoute = Static<typeof CreatePaymentRoute>

export const UpdatePaymentRoute = Type.Object(
  {
    ...definitionInput,
    name: Type.Optional(definitionInput.name),
    default: Type.Optional(definitionInput.default),
    draft,
    if_revision: Type.Optional(
      revisionNumber('The newest revision that you have seen. If there is a newer one, nothing is changed.'),
    ),
    is_default: isDefault,
    metadata,
  },
  { additionalProperties: false },
)
export type UpdatePaymentRoute = Static<typeof UpdatePaymentRoute>

export const LintResult = Type.Object(
  {
    object: Type.Literal('payment_route_lint'),
    publishable: Type.Boolean({ description: 'Whether there is no error.', examples: [true] }),
    findings: Type.Array(FindingObject, { description: 'What was found.' }),
  },
  { $id: 'PaymentRouteLint', description: 'What is wrong with a route, or may be.' },
)

export const DiffQuery = Type.Object(
  {
    against: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'The earlier revision. Without it: the one that is published.',
        examples: [11],
      }),
    ),
  },
  { additionalProperties: false },
)

const anything = (description: string) =>
  Type.Unsafe<unknown>({
    type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
    additionalProperties: true,
    items: {},
    description,
  })

export const DiffObject = Type.Object(
  {
    object: Type.Literal('payment_route_diff'),
    payment_route_id: IdOf('payment_route'),
    revision: revisionNumber('The revision that is looked at.'),
    against: revisionNumber('The one that it is compared with.'),
    changes: Type.Array(
      Type.Object({
        pointer: Type.String({
          description: 'Where, as a JSON pointer.',
          examples: ['/rules/0/then/targets'],
        }),
        change: OneOf(['added', 'removed', 'changed', 'moved'], { description: 'What happened to it.' }),
        from: anything('What it was. Of what moved, its place.'),
        to: anything('What it is.'),
        words: Type.String({
          description: 'The same for people.',
          examples: ['rule "EU cards": then targets changed'],
        }),
      }),
      { description: 'Every difference, in the order of the route.' },
    ),
  },
  { $id: 'PaymentRouteDiff', description: 'What makes two revisions differ, member by member.' },
)

function presentDefinition({ name, rules, default: otherwise, failover, limits, examples }: Definition) {
  return { name, rules, default: otherwise, failover, limits, examples }
}

export function present(route: PaymentRoute): object {
  return {
    id: route.id,
    object: 'payment_route',
    status: route.status,
    is_default: route.isDefault,
    revision: route.revision,
    latest_revision: route.latestRevision,
    ...presentDefinition(route.definition),
    metadata: route.metadata,
    created_at: route.createdAt.toISOString(),
    updated_at: route.updatedAt.toISOString(),
  }
}

export function presentSaved(route: SavedRoute): object {
  return { ...present(route), lint: route.findings }
}

export function presentDeleted({ id }: { readonly id: string }): Static<typeof DeletedRoute> {
  return { id, object: 'payment_route', deleted: true }
}

export function presentRevision(revision: Revision): object {
  return {
    id: revision.id,
    object: 'payment_route_revision',
    payment_route_id: revision.paymentRouteId,
    number: revision.number,
    ...presentDefinition(revision.definition),
    copy_of: revision.copyOf,
    api_token_id: revision.authorId,
    published_at: revision.publishedAt?.toISOString() ?? null,
    created_at: revision.createdAt.toISOString(),
  }
}

export function presentLint(findings: readonly Finding[]): object {
  const publishable = findings.every(({ severity }) => severity !== 'error')
  return { object: 'payment_route_lint', publishable, findings }
}

type Diffed = {
  readonly paymentRouteId: string
  readonly revision: number
  readonly against: number
  readonly changes: readonly object[]
}

export function presentDiff({ paymentRouteId, revision, against, changes }: Diffed): object {
  return { object: 'payment_route_diff', payment_route_id: paymentRouteId, revision, against, changes }
}
