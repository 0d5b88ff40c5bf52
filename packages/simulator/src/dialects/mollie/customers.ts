/** Customers and the mandates of their saved cards. A first payment creates a mandate. */
import { randomUUID } from 'node:crypto'
import { type Account, deleteToken, type Operation } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { baseOf, listParameters, ok, pageOf, type Route, read, readEmptyBody, runOnce } from './calls.ts'
import { notFound } from './errors.ts'
import { customerObject, mandateObject } from './objects.ts'
import { customerProblemOf } from './requests.ts'
import {
  find,
  findCustomer,
  type StoredCustomer,
  type StoredMandate,
  type StoredPayment,
  save,
} from './store.ts'

export const createCustomer: Route = (context, call) =>
  runOnce(context, call, (body) => {
    const problem = customerProblemOf(body)
    if (problem !== null) return problem
    const { name = null, email = null, locale = null, metadata = null } = body as Partial<StoredCustomer>
    const id = `cst_${randomUUID().replaceAll('-', '').slice(0, 12)}`
    const customer = { id, at: context.state.clock.now(), name, email, locale, metadata, mandates: [] }
    save(context, customer)
    return ok(customerObject(customer, baseOf(context)), 201)
  })

export const getCustomer: Route = async (context, call, [id = '']) => {
  const problem = await read(context, call)
  if (problem !== null) return problem
  const customer = findCustomer(context.account, id)
  return customer === undefined ? notFound(id) : ok(customerObject(customer, baseOf(context)))
}

export function createMandate(context: DialectContext, payment: StoredPayment): void {
  const { mandateId, customerId, reference, key, at } = payment
  const customer = findCustomer(context.account, customerId ?? '')
  if (customer === undefined || mandateId === null) return
  const mandate: StoredMandate = {
    id: mandateId,
    reference,
    key,
    at,
    customerId: customer.id,
    isRevoked: false,
  }
  save(context, mandate)
  save(context, { ...customer, mandates: [...customer.mandates, mandateId] })
}

type Mandate = { readonly stored: StoredMandate; readonly operation: Operation }

/** Undefined if the customer has no such mandate: it was revoked, or its first payment failed. */
function findMandate(account: Account, customerId: string, id: string): Mandate | undefined {
  const stored = id.startsWith('mdt_') ? find<StoredMandate>(account, id) : undefined
  const operation = account.operations.get(stored?.reference ?? '')
  if (stored === undefined || operation === undefined || stored.isRevoked) return undefined
  const isOpen = /^(succeeded|pending|action_required)$/.test(operation.record?.status ?? '')
  return stored.customerId === customerId && isOpen ? { stored, operation } : undefined
}

/** The given mandate, or the newest one of the customer, if a card can be charged with it. */
export function chargeableMandate(
  account: Account,
  customerId: string,
  id: string | null,
): { readonly id: string; readonly token: string } | undefined {
  const ids = id === null ? (findCustomer(account, customerId)?.mandates ?? []).toReversed() : [id]
  const [mandate] = ids.flatMap((candidate) => {
    const token = findMandate(account, customerId, candidate)?.operation.record?.token
    return token === undefined ? [] : [{ id: candidate, token }]
  })
  return mandate
}

export const getMandate: Route = async (context, call, [customerId = '', id = '']) => {
  const problem = await read(context, call)
  if (problem !== null) return problem
  const mandate = findMandate(context.account, customerId, id)
  if (mandate === undefined) return notFound(id)
  return ok(mandateObject(mandate.stored, mandate.operation, baseOf(context)))
}

export const listMandates: Route = async (context, call, [customerId = '']) => {
  const problem = await read(context, call, listParameters)
  if (problem !== null) return problem
  const customer = findCustomer(context.account, customerId)
  if (customer === undefined) return notFound(customerId)
  const items = customer.mandates.toReversed().flatMap((id) => {
    const mandate = findMandate(context.account, customerId, id)
    return mandate === undefined ? [] : [mandateObject(mandate.stored, mandate.operation, baseOf(context))]
  })
  return pageOf(context, call, { name: 'mandates', path: `/customers/${customerId}/mandates`, items })
}

export const revokeMandate: Route = (context, call, [customerId = '', id = '']) => {
  const problem = readEmptyBody(call)
  if (problem !== null) return problem
  const mandate = findMandate(context.account, customerId, id)
  if (mandate === undefined) return notFound(id)
  save(context, { ...mandate.stored, isRevoked: true })
  const { token } = mandate.operation.record ?? {}
  if (token !== undefined) deleteToken(context.state, context.account, token)
  return { status: 204 }
}
