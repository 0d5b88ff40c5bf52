/** Chooses the account for an attempt, with the facts about the payment that routing rules can refer to. */
import type { Deps } from '../../../../deps.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import {
  type CompiledRoute,
  decideFor,
  findPriceOfInvoice,
  operandsOf,
  type PaymentFacts,
} from '../../../routing/payment-routes/service/decide.ts'
import { isInExternalVault } from '../../card-tokens/service.ts'
import { customerExists, requireCustomer } from '../../customers/service.ts'
import { findPaymentMethod } from '../../payment-methods/service.ts'
import type { Intent, Payment, Trace } from '../payment.ts'

type RoutedPayment = {
  readonly payment: Intent & Pick<Payment, 'id'> & { readonly createdAt?: Date }
  readonly tried: readonly string[]
  /** The accounts at which the card has a provider token. */
  readonly tokensAt: ReadonlySet<Id<'provider_account'>>
  /** Set if the card must be verified at this account. */
  readonly requiredAccountId?: Id<'provider_account'>
}

/** The account that the route selects for the next attempt; null if there is none. */
export async function chooseAccount(
  deps: Deps,
  tx: Tx,
  route: CompiledRoute,
  { payment, tried, tokensAt, requiredAccountId }: RoutedPayment,
): Promise<{ chosen: Id<'provider_account'> | null; declined: boolean; trace: Trace }> {
  const { chosen, declined, trace } = await decideFor(deps, tx, route, {
    operands: operandsOf(await factsOf(tx, route, payment)),
    keys: { payment: payment.id, customer: payment.customerId, card: payment.fingerprint },
    instrument: {
      hasCardNumber: payment.vaultCardUuid !== null,
      bankCountry: payment.debit?.country ?? null,
      isInExternalVault: isInExternalVault(payment.fingerprint),
      tokensAt,
      ...(requiredAccountId === undefined ? {} : { requiredAccountId }),
    },
    tried,
  })
  return { chosen: chosen as Id<'provider_account'> | null, declined, trace }
}

/** The fields that routing rules can use. Other objects are read only if the route uses their fields. */
async function factsOf(
  tx: Tx,
  { fields }: CompiledRoute,
  payment: RoutedPayment['payment'],
): Promise<PaymentFacts> {
  const { customerId } = payment
  const usesCustomerFields = fields.some((field) => field.startsWith('customer.') && field !== 'customer.id')
  const readsCustomer = customerId !== null && usesCustomerFields && (await customerExists(tx, customerId))
  const customer = readsCustomer ? await requireCustomer(tx, customerId) : null
  const billing = payment.billingDetails as { readonly address?: { readonly country?: string | null } } | null
  return {
    ...payment,
    recurring: recurringOf(payment),
    billingCountry: billing?.address?.country ?? null,
    customer:
      customerId === null
        ? null
        : { id: customerId, country: customer?.address?.country ?? null, metadata: customer?.metadata ?? {} },
    priceId: await priceOf(tx, fields, payment),
    lastProviderAccountId: await lastAccountOf(tx, fields, payment),
    createdAt: payment.createdAt ?? tx.now,
  }
}

/** Null if the route does not use it. */
async function priceOf(tx: Tx, fields: readonly string[], { invoiceId }: Intent): Promise<string | null> {
  return invoiceId === null || !fields.includes('price_id') ? null : findPriceOfInvoice(tx, invoiceId)
}

/** Null if the route does not use it. */
async function lastAccountOf(
  tx: Tx,
  fields: readonly string[],
  { paymentMethodId }: Intent,
): Promise<string | null> {
  if (paymentMethodId === null || !fields.includes('method.last_provider_account_id')) return null
  return (await findPaymentMethod(tx, paymentMethodId)).providerAccountId
}

/** `first` if this payment saves the card, `subsequent` if it uses a saved card. */
function recurringOf(payment: Intent): PaymentFacts['recurring'] {
  if (payment.paymentMethodId !== null) return 'subsequent'
  return payment.savePaymentMethod || payment.purpose === 'verification' ? 'first' : 'none'
}
