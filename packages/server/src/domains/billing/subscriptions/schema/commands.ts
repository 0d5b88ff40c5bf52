/** Request schemas of subscriptions. */
import { type Static, Type } from 'typebox'
import { IdOf, MetadataChange, nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import { discountInputs } from '../../discounts/schema.ts'
import { prorationBehaviours } from '../plan/change.ts'
import {
  activationPolicies,
  cancelUnusedTimeOptions,
  maxItems,
  maxQuantity,
  missingMethodBehaviours,
  openInvoiceOptions,
  stubOptions,
  trialEndBehaviours,
  unusedTimeOptions,
} from '../subscription.ts'

export { CustomerPath, DeletedCustomer, presentDeleted } from '../../../payments/customers/schema.ts'

const quantity = Type.Integer({
  minimum: 1,
  maximum: maxQuantity,
  description: 'Number of units billed.',
  examples: [1],
})
const priceId = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'ID of a price, or `lookup:<key>`.',
  examples: ['price_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
  loggable: true,
})
const methodId = nullable(IdOf('payment_method', 'Payment method attached to the customer.'))
const description = nullable(
  Type.String({ minLength: 1, maxLength: 500, description: 'Internal note.', examples: ['Team'] }),
)
const routeId = nullable(
  IdOf('payment_route', 'Route that selects the provider account. Null: the default route.'),
)
const policyId = nullable(IdOf('dunning_policy'))
const previewToken = Type.String({
  maxLength: 1000,
  description:
    'Token from a preview. The call does exactly what the preview showed or fails with 409 `preview_stale`.',
})
const closed = { additionalProperties: false } as const

/** `now`, `period_end`, or a time. */
const When = (keywords: string) =>
  Type.String({
    maxLength: 40,
    pattern: `^(${keywords}|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))$`,
    faultDetail: `must be ${keywords.split('|').join(', ')} or a time such as 2027-01-31T00:00:00Z`,
    description: 'When the change takes effect.',
    examples: keywords.split('|').slice(-1),
  })

const pauseMembers = {
  resumes_at: Type.Optional(
    nullable({
      ...Time,
      description: 'Time of automatic resumption. Null or omitted: it does not resume automatically.',
    }),
  ),
  open_invoices: Type.Optional(
    OneOf(openInvoiceOptions, {
      default: 'continue',
      description:
        'What happens to open invoices. `continue`: they are still collected. `stop`: they are not collected until the subscription resumes. `void`: they are voided.',
    }),
  ),
  unused_time: Type.Optional(
    OneOf(unusedTimeOptions, {
      default: 'keep',
      description:
        'What happens to the rest of the period. `keep`: it is added after the subscription resumes. `credit`: it is credited. `forfeit`: it is lost.',
    }),
  ),
}
const cancelMembers = {
  unused_time: Type.Optional(
    OneOf(cancelUnusedTimeOptions, {
      default: 'forfeit',
      description:
        'What happens to the rest of the period. At most the amount paid for it is credited or refunded.',
    }),
  ),
  open_invoices: Type.Optional(
    OneOf(openInvoiceOptions, {
      default: 'stop',
      description:
        'What happens to open invoices. `continue`: they are still collected. `stop`: they are no longer collected. `void`: they are voided.',
    }),
  ),
  feedback: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 5000,
        description: 'Cancellation reason given by the customer or by you.',
      }),
    ),
  ),
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
        description:
          'What happens to open invoices. `collect`: they are collected again. `keep`: they stay open. `void`: they are voided.',
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

const trialDays = Type.Integer({
  minimum: 1,
  maximum: 1095,
  description: 'Length of the trial in days. Send either this or `end_at`.',
  examples: [14],
})
const trialMembers = {
  end_behaviour: Type.Optional(
    OneOf(trialEndBehaviours, {
      default: 'activate',
      description: 'What happens when the trial ends.',
    }),
  ),
  missing_payment_method: Type.Optional(
    OneOf(missingMethodBehaviours, {
      default: 'pause',
      description: 'What happens when the trial ends and there is no payment method to charge.',
    }),
  ),
}
export const discounts = discountInputs(
  'Discounts of the subscription, in the order in which they apply: each is computed on the amount that is left after the earlier ones.',
)
const itemDiscounts = discountInputs(
  'The complete list of discounts of the item. They apply before those of the subscription. Omitted: unchanged.',
)
const createMembers = {
  customer_id: IdOf('customer'),
  items: Type.Array(
    Type.Object(
      {
        price_id: priceId,
        quantity: Type.Optional(quantity),
        discounts: Type.Optional(itemDiscounts),
        metadata: Type.Optional(MetadataChange),
      },
      closed,
    ),
    {
      minItems: 1,
      maxItems,
      description: 'Items to bill. All prices must have the same currency and interval.',
    },
  ),
  discounts: Type.Optional(discounts),
  payment_method_id: Type.Optional(methodId),
  payment_route_id: Type.Optional(routeId),
  trial: Type.Optional(
    nullable(
      Type.Object(
        {
          days: Type.Optional(trialDays),
          end_at: Type.Optional({ ...Time, description: 'End of the trial. Send either this or `days`.' }),
          ...trialMembers,
        },
        { ...closed, description: 'Free trial, given by its length or by its end.' },
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
            description: 'Day of the month on which periods begin. Shorter months use their last day.',
            examples: [1],
          }),
        ),
        time_zone: Type.Optional(
          Type.String({
            maxLength: 64,
            default: 'UTC',
            description: 'IANA time zone name.',
            examples: ['Europe/Berlin'],
          }),
        ),
        stub: Type.Optional(
          OneOf(stubOptions, {
            default: 'prorate',
            description:
              '`prorate`: the shorter first period is billed in proportion. `free`: it is not billed.',
          }),
        ),
      },
      { ...closed, description: 'Alignment of the billing periods.' },
    ),
  ),
  activation_policy: Type.Optional(
    OneOf(activationPolicies, {
      default: 'on_payment',
      description:
        '`on_payment`: the subscription becomes active once its first payment succeeds. `on_attempt`: it becomes active as soon as the payment is attempted.',
    }),
  ),
  dunning_policy_id: Type.Optional(policyId),
  scheduled_change: Type.Optional(
    Type.Object(
      { action: OneOf(['cancel', 'pause'], { description: 'Action to schedule.' }), at: When('period_end') },
      { ...closed, description: 'Change to schedule right after creation.' },
    ),
  ),
  description: Type.Optional(description),
  metadata: Type.Optional(MetadataChange),
}

/** The options of a subscription that a checkout sells. Its trial starts when the payer confirms. */
export const checkoutOptions = {
  trial: Type.Optional(
    nullable(
      Type.Object(
        { days: { ...trialDays, description: 'Length of the trial in days.' }, ...trialMembers },
        { ...closed, description: 'Free trial.' },
      ),
    ),
  ),
  anchor: createMembers.anchor,
}

export const CreateSubscription = Type.Object(
  { ...createMembers, preview_token: Type.Optional(previewToken) },
  closed,
)
export type CreateSubscription = Static<typeof CreateSubscription>

const updateMembers = {
  discounts: Type.Optional({
    ...discounts,
    description:
      'The complete list of discounts of the subscription from the next period on. A coupon that the subscription already has is kept, and not redeemed again. The discounts of the current period do not change.',
  }),
  items: Type.Optional(
    Type.Array(
      Type.Object(
        {
          id: Type.Optional(IdOf('subscription_item', 'Item to change. Omit it to add an item.')),
          price_id: Type.Optional(priceId),
          quantity: Type.Optional(quantity),
          delete: Type.Optional(Type.Boolean({ description: 'Whether to remove the item.' })),
          discounts: Type.Optional(itemDiscounts),
          metadata: Type.Optional(MetadataChange),
        },
        closed,
      ),
      { minItems: 1, maxItems, description: 'Items to add, change or remove. Other items are unchanged.' },
    ),
  ),
  proration: Type.Optional(
    Type.Object(
      {
        behaviour: Type.Optional(
          OneOf(prorationBehaviours, {
            default: 'invoice_now',
            description:
              '`invoice_now`: bill the difference immediately. `next_invoice`: add it to the next invoice. `none`: do not bill it. `next_period`: make the change at the start of the next period.',
          }),
        ),
        at: Type.Optional({
          ...Time,
          description: 'Time of the change, from which the rest of the period is prorated. Default: now.',
        }),
      },
      { ...closed, description: 'How the rest of the period is billed.' },
    ),
  ),
  trial: Type.Optional(
    Type.Object(
      { end_at: { ...Time, description: 'New end of the trial.' } },
      { ...closed, description: 'New end of the current trial.' },
    ),
  ),
  payment_method_id: Type.Optional(methodId),
  payment_route_id: Type.Optional(routeId),
  dunning_policy_id: Type.Optional(policyId),
  activation_policy: Type.Optional(
    OneOf(activationPolicies, {
      description:
        '`on_payment`: the subscription becomes active once its payment succeeds. `on_attempt`: it becomes active as soon as the payment is attempted.',
    }),
  ),
  scheduled_change: Type.Optional(
    Type.Unsafe<null>({ type: 'null', description: '`null` removes the scheduled change.' }),
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
    action: Type.Optional(OneOf(['create'], { description: 'Action to preview. Always `create`.' })),
    ...createMembers,
  },
  closed,
)
export type PreviewCreation = Static<typeof PreviewCreation>

const previewedActions = ['update', 'pause', 'resume', 'cancel', 'renew'] as const

/**
 * One object with the members of all actions: a validation error then names a member instead of five
 * non-matching shapes.
 */
export const PreviewChange = Type.Object(
  {
    action: OneOf(previewedActions, { description: 'Action to preview.' }),
    ...updateMembers,
    at: Type.Optional(When('now|period_end')),
    resumes_at: pauseMembers.resumes_at,
    unused_time: Type.Optional(
      OneOf([...unusedTimeOptions, 'refund'], { description: 'Same as for the action.' }),
    ),
    open_invoices: Type.Optional(
      OneOf([...openInvoiceOptions, 'collect', 'keep'], { description: 'Same as for the action.' }),
    ),
    feedback: cancelMembers.feedback,
  },
  closed,
)
export type PreviewChange = Static<typeof PreviewChange>

export const DeleteCustomer = Type.Object(
  {
    subscriptions: Type.Optional(
      OneOf(['refuse', 'cancel'], {
        default: 'refuse',
        description:
          'What happens to subscriptions that are not cancelled and to open invoices. `refuse`: the customer is not deleted, and `detail` lists them. `cancel`: the subscriptions are cancelled now, open invoices are voided, and a charge in progress is refunded.',
      }),
    ),
  },
  { additionalProperties: false },
)
