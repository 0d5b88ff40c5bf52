import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { statuses } from './machine.ts'
import {
  type Definition,
  type Finding,
  type PaymentRoute,
  type Revision,
  routeErrorCodes,
  routeWarningCodes,
  type SavedRoute,
} from './payment-route.ts'
import { definitionInput, definitionMembers } from './schema/definition.ts'

const revisionNumber = (description: string) => Type.Integer({ minimum: 1, description, examples: [12] })

const members = {
  id: IdOf('payment_route'),
  object: Type.Literal('payment_route'),
  status: OneOf(statuses, { description: '`archived`: the route is not used for new payments.' }),
  is_default: Type.Boolean({
    description:
      'Whether the route is used for payments that do not name a route. A workspace has at most one default route.',
    examples: [false],
  }),
  revision: nullable(revisionNumber('Published revision. Null if none has been published.')),
  latest_revision: revisionNumber('Newest revision. It is a draft if it differs from `revision`.'),
  ...definitionMembers,
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const PaymentRouteObject = Type.Object(members, {
  $id: 'PaymentRoute',
  description:
    'Rules that select the provider account for a payment. The published revision is shown, or the newest draft if none has been published.',
})

export const FindingObject = Type.Object(
  {
    severity: OneOf(['error', 'warning'], { description: 'Errors prevent publication; warnings do not.' }),
    code: OneOf([...routeErrorCodes, ...routeWarningCodes], { description: 'Type of the finding.' }),
    pointer: Type.String({ description: 'JSON pointer to the place in the route.', examples: ['/rules/2'] }),
    detail: Type.String({
      description: 'Human-readable explanation.',
      examples: ['No payment reaches this rule: rule 1 matches all of its payments first.'],
    }),
  },
  { $id: 'PaymentRouteFinding', description: 'A mistake, or a possible mistake, in a route.' },
)

const lint = Type.Array(FindingObject, { description: 'Lint findings for the saved revision.' })

export const SavedRouteObject = Type.Object(
  { ...members, lint },
  { $id: 'SavedPaymentRoute', description: 'A saved payment route with its lint findings.' },
)

export const RevisionObject = Type.Object(
  {
    id: IdOf('payment_route_revision'),
    object: Type.Literal('payment_route_revision'),
    payment_route_id: IdOf('payment_route'),
    number: revisionNumber('Number of the revision within the route.'),
    ...definitionMembers,
    copy_of: nullable(
      revisionNumber('Revision that this one is a copy of, after a rollback. Null otherwise.'),
    ),
    api_token_id: nullable(
      IdOf('api_token', 'API token that created the revision. Null if a person created it.'),
    ),
    person_id: nullable(
      IdOf(
        'person',
        'Person who created the revision. Null if an API token created it, or if it is not known.',
      ),
    ),
    published_at: nullableWithNullExample(
      Type.String({
        ...Time,
        description: 'Time the revision was published. Null if it was never published.',
      }),
    ),
    created_at: CreatedAt,
  },
  { $id: 'PaymentRouteRevision', description: 'A saved, immutable version of a route.' },
)

export const PaymentRoutePath = Type.Object({ payment_route_id: IdOf('payment_route') })
export const RevisionPath = Type.Object({
  payment_route_id: IdOf('payment_route'),
  revision: Type.String({ maxLength: 100, description: 'Number of the revision.', examples: ['12'] }),
})
export const DeletedRoute = Deleted('payment_route', 'DeletedPaymentRoute')

const draft = Type.Optional(
  Type.Boolean({
    description: 'Saves the revision without publishing it. A draft may contain errors.',
    default: false,
  }),
)
const isDefault = Type.Optional(
  Type.Boolean({
    description:
      '`true` makes this the default route in place of the current one. `false` stops using it as the default. Payments that do not name a route use the default route.',
  }),
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
    draft: Type.Optional(
      Type.Boolean({
        description:
          'True: saves the revision without publishing it; a draft may contain errors. False: publishes the newest revision even if nothing else is sent, so that `false` with `is_default` publishes it and makes the route the default in one call.',
      }),
    ),
    if_revision: Type.Optional(
      revisionNumber('Newest revision that you know. If there is a newer one, nothing is changed.'),
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
    publishable: Type.Boolean({ description: 'Whether there are no errors.', examples: [true] }),
    findings: Type.Array(FindingObject, { description: 'Lint findings.' }),
  },
  { $id: 'PaymentRouteLint', description: 'Result of linting a route.' },
)

export const DiffQuery = Type.Object(
  {
    against: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Earlier revision. Default: the published one.',
        examples: [11],
      }),
    ),
  },
  { additionalProperties: false },
)

const anyJsonValue = (description: string) =>
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
    revision: revisionNumber('Revision that is compared.'),
    against: revisionNumber('Revision that it is compared with.'),
    changes: Type.Array(
      Type.Object({
        pointer: Type.String({
          description: 'JSON pointer to the difference.',
          examples: ['/rules/0/then/targets'],
        }),
        change: OneOf(['added', 'removed', 'changed', 'moved'], { description: 'Type of the difference.' }),
        from: anyJsonValue('Old value. For a move, the old position.'),
        to: anyJsonValue('New value. For a move, the new position.'),
        words: Type.String({
          description: 'Human-readable description.',
          examples: ['rule "EU cards": then targets changed'],
        }),
      }),
      { description: 'All differences, in the order of the route.' },
    ),
  },
  { $id: 'PaymentRouteDiff', description: 'Differences between two revisions.' },
)

function presentDefinition({ name, rules, default: defaultAction, failover, limits, examples }: Definition) {
  return { name, rules, default: defaultAction, failover, limits, examples }
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
    api_token_id: revision.apiTokenId,
    person_id: revision.personId,
    published_at: revision.publishedAt?.toISOString() ?? null,
    created_at: revision.createdAt.toISOString(),
  }
}

export function presentLint(findings: readonly Finding[]): object {
  const publishable = findings.every(({ severity }) => severity !== 'error')
  return { object: 'payment_route_lint', publishable, findings }
}

type RevisionDiff = {
  readonly paymentRouteId: string
  readonly revision: number
  readonly against: number
  readonly changes: readonly object[]
}

export function presentDiff({ paymentRouteId, revision, against, changes }: RevisionDiff): object {
  return { object: 'payment_route_diff', payment_route_id: paymentRouteId, revision, against, changes }
}
