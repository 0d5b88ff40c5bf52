/** A customer: a person or company that pays, with contact data. */
import type { Id } from '../../../kernel/id.ts'
import type { ElectronicAddress } from '../../../kernel/parties.ts'

export type Address = {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

export type TaxId = { readonly type: string; readonly value: string }

/** The members that the API can set. */
export type CustomerDetails = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly description: string | null
  readonly locale: string | null
  readonly address: Address | null
  readonly taxIds: readonly TaxId[]
  readonly taxExempt: boolean
  readonly electronicAddress: ElectronicAddress | null
  readonly buyerReference: string | null
  readonly metadata: { readonly [key: string]: string }
}

export const emailStatuses = ['bounced', 'complained'] as const
export type EmailStatus = (typeof emailStatuses)[number]

export type Customer = CustomerDetails & {
  readonly id: Id<'customer'>
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Whether e-mails to the address bounce, or its owner has complained; null: no problem is known. */
  readonly emailStatus: EmailStatus | null
  /** The test clock of the customer; null if the customer uses real time. */
  readonly testClockId: Id<'test_clock'> | null
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

export const emptyDetails: CustomerDetails = {
  name: null,
  email: null,
  phone: null,
  description: null,
  locale: null,
  address: null,
  taxIds: [],
  taxExempt: false,
  electronicAddress: null,
  buyerReference: null,
  metadata: {},
}
