/** What can be asked of a subscription, on the wire. */
import { type Static, Type } from 'typebox'
import { IdOf, MetadataChange, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { prorationBehaviours } from '../plan/change.ts'
import {
  activationPolicies,
  cancelledTimes,
  endBehaviours,
  maxItems,
  maxQuantity,
  missingMethodBehaviours,
  openInvoiceChoices,
  stubs,
  unusedTimes,
} from '../subscription.ts'

const quantity = Type.Integer({
  minimum: 1,
  maximum: maxQuantity,
  description: 'How many units are billed.',
  examples: [1],
})
const priceId = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'The id of a price, or `lookup:<key>`.',
  examples: ['price_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
  loggable: true,
})
const methodId = nullable(IdOf('payment_method', 'One that is attached to the customer.'))
const description = nullable(
  Type.String({ minLength: 1, maxLength: 500, description: 'A note for your people.', examples: ['Team'] }),
)
const routeId = nullable(IdOf('payment_route', 'How its payments are routed. Null: by the default route.'))
const policyId = nullable(IdOf('dunning_policy'))
const previewToken = Type.String({
  maxLength: 1000,
  description: 'From a preview: what was shown is done, or nothing is (409 `preview_stale`).',
})
const closed = { additionalProperties: false } as const

/** `now`, the end of the period, or a time. */
const When = (words: string) =>
  Type.String({
    maxLength: 40,
    pattern: `^(${words}|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))$`,
    faultDetail: `must be ${words.split('|').join(', ')} or a time such as 2027-01-31T00:00:00Z`,
    description: 'When it takes effect.',
    examples: ['period_end'],
  })

const pauseMembers = {
  resumes_at: Type.Optional(nullable(Time)),
  open_invoices: Type.Optional(
    OneOf(openInvoiceChoices, {
      default: 'continue',
      description:
        'What becomes of invoices that are open: they are still collected, not until it resumes, or void.',
    }),
  ),
  unused_time: Type.Optional(
    OneOf(unusedTimes, {
      default: 'keep',
      description: 'What becomes of the rest of the period: it is lived after it resumes, credited, or lost.',
    }),
  ),
}
const cancelMembers = {
  unused_time: Type.Optional(
    OneOf(cancelledTimes, {
      default: 'forfeit',
      description: 'What becomes of the rest of the period. At most what was paid for it comes back.',
    }),
  ),
  open_invoices: Type.Optional(
    OneOf(openInvoiceChoices, {
      default: 'stop',
      description: 'Whether invoices that are open are still collected.',
    }),
  ),
  feedback: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 5000, description: 'Why.' }))),
}

export const PauseSubscription = Type.Object(
  { at: Type.Optional(When('now|period_end')), ...pauseMembers, preview_token: Type.Optional(previewToken) },
  closed,
)
export type PauseSubscription = Static<typeof PauseSubscription>

export const ResumeSubscription = Type.Object(
  {
    at: Type.Optional(When('now')),
    open_invoices: Type.Optional(
      OneOf(['collect', 'keep', 'void'], {
        default: 'collect',
        description: 'Whether invoices that are open are collected from now on.',
      }),
    ),
    preview_token: Type.Optional(previewToken),
  },
  closed,
)
export type ResumeSubscription = Static<typeof ResumeSubscription>

export const CancelSubscription = Type.Object(
  { at: Type.Optional(When('now|period_end')), ...cancelMembers, preview_token: Type.Optional(previewToken) },
  closed,
)
export type CancelSubscription = Static<typeof CancelSubscription>

const createMembers = {
  customer_id: IdOf('customer'),
  items: Type.Array(
    Type.Object(
      {
        price_id: priceId,
        quantity: Type.Optional(quantity),
        metadata: Type.Optional(MetadataChange),
      },
      closed,
    ),
    { minItems: 1, maxItems, description: 'What is billed. All have one currency and one interval.' },
  ),
  payment_method_id: Type.Optional(methodId),
  payment_route_id: Type.Optional(routeId),
  trial: Type.Optional(
    nullable(
      Type.Object(
        {
          days: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1095,
              description: 'How many days are free. Either this or `end_at`.',
              examples: [14],
            }),
          ),
          end_at: Type.Optional(Time),
          end_behaviour: Type.Optional(
            OneOf(endBehaviours, { default: 'activate', description: 'What happens when it ends.' }),
          ),
          missing_payment_method: Type.Optional(
            OneOf(missingMethodBehaviours, {
              default: 'pause',
              description: 'What happens when it ends and there is nothing to charge.',
            }),
          ),
        },
        { ...closed, description: 'Free time at the beginning, by its days or by its end.' },
      ),
    ),
  ),
  anchor: Type.Optional(
    Type.Object(
      {
        day_of_month: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 31,
            description: 'The day on which periods begin. 31 is the last day of each month.',
            examples: [1],
          }),
        ),
        time_zone: Type.Optional(
          Type.String({
            maxLength: 64,
            default: 'UTC',
            description: 'A name of the time zone database.',
            examples: ['Europe/Berlin'],
          }),
        ),
        stub: Type.Optional(
          OneOf(stubs, { default: 'prorate', description: 'Whether the first, shorter period is billed.' }),
        ),
      },
      { ...closed, description: 'Where its periods lie.' },
    ),
  ),
  activation_policy: Type.Optional(
    OneOf(activationPolicies, {
      default: 'on_payment',
      description: 'Whether it becomes active when it is paid, or as soon as that is tried.',
    }),
  ),
  dunning_policy_id: Type.Optional(policyId),
  scheduled_change: Type.Optional(
    Type.Object(
      { action: OneOf(['cancel', 'pause'], { description: 'What is to be done.' }), at: When('period_end') },
      { ...closed, description: 'What is to happen later, as if it were asked for right after.' },
    ),
  ),
  description: Type.Optional(description),
  metadata: Type.Optional(MetadataChange),
}

export const CreateSubscription = Type.Object(
  { ...createMembers, preview_token: Type.Optional(previewToken) },
  closed,
)
export type CreateSubscription = Static<typeof CreateSubscription>

const updateMembers = {
  items: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.Optional(IdOf('subscription_item', 'The item that is changed; without it one is added.')),
          price_id: Type.Optional(priceId),
          quantity: Type.Optional(quantity),
          delete: Type.Optional(Type.Boolean({ description: 'Whether it goes.' })),
          metadata: Type.Optional(MetadataChange),
        },
        closed,
      ),
      { minItems: 1, maxItems, description: 'Items that change. The others stay as they are.' },
    ),
  ),
  proration: Type.Optional(
    Type.Object(
      {
        behaviour: Type.Optional(
          OneOf(prorationBehaviours, {
            default: 'invoice_now',
            description:
              'Whether the difference is billed now, with the next invoice, or not at all; or the change waits for the next period.',
          }),
        ),
        at: Type.Optional(Time),
      },
      { ...closed, description: 'How the rest of the period is billed.' },
    ),
  ),
  trial: Type.Optional(
    Type.Object({ end_at: Time }, { ...closed, description: 'Another end for the trial that runs.' }),
  ),
  payment_method_id: Type.Optional(methodId),
  payment_route_id: Type.Optional(routeId),
  dunning_policy_id: Type.Optional(policyId),
  activation_policy: Type.Optional(
    OneOf(activationPolicies, {
      description: 'Whether it becomes active when it is paid, or as soon as that is tried.',
    }),
  ),
  scheduled_change: Type.Optional(
    Type.Unsafe<null>({ type: 'null', description: 'Null withdraws what is scheduled.' }),
  ),
  description: Type.Optional(description),
  metadata: Type.Optional(MetadataChange),
}

export const UpdateSubscription = Type.Object(
  { ...updateMembers, preview_token: Type.Optional(previewToken) },
  closed,
)
export type UpdateSubscription = Static<typeof UpdateSubscription>

export const PreviewCreation = Type.Object(
  {
    action: Type.Optional(OneOf(['create'], { description: 'What would be done. There is one choice.' })),
    ...createMembers,
  },
  closed,
)
export type PreviewCreation = Static<typeof PreviewCreation>

const previewedActions = ['update', 'pause', 'resume', 'cancel', 'renew'] as const

/** The members of all actions in one object: a fault then points at a member, not at five shapes that do not fit. */
export const PreviewChange = Type.Object(
  {
    action: OneOf(previewedActions, { description: 'What would be done.' }),
    ...updateMembers,
    at: Type.Optional(When('now|period_end')),
    resumes_at: pauseMembers.resumes_at,
    unused_time: Type.Optional(OneOf([...unusedTimes, 'refund'], { description: 'As the action takes it.' })),
    open_invoices: Type.Optional(
      OneOf([...openInvoiceChoices, 'collect', 'keep'], { description: 'As the action takes it.' }),
    ),
    feedback: cancelMembers.feedback,
  },
  closed,
)
export type PreviewChange = Static<typeof PreviewChange>
