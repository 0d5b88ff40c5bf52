/** The seller of a workspace: the company that issues its invoices. */
import type { Deps } from '../../../deps.ts'
import { isTimeZone } from '../../../kernel/calendar.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { missingOfSeller, type PostalAddress, type SellerParty } from '../../../kernel/parties.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import type { UpdateSeller } from './schema.ts'
import type { SellerSettings } from './store.ts'
import * as store from './store.ts'

export type { SellerSettings } from './store.ts'

export function getSeller(deps: Deps, caller: Caller): Promise<SellerSettings> {
  return read(deps, caller, store.readSeller)
}

export function findSellerSettings(view: View): Promise<SellerSettings> {
  return store.readSeller(view)
}

export function updateSeller(deps: Deps, caller: Caller, input: UpdateSeller): Promise<SellerSettings> {
  return transact(deps, caller, async (tx) => {
    const { time_zone: timeZone } = input
    if (timeZone !== undefined && !isTimeZone(timeZone))
      refuseMember('/time_zone', 'bad_format', 'must be an IANA time zone such as Europe/Berlin')
    const before = await store.lockSeller(tx)
    if (input.tax === 'provider' && !(await store.holdTaxProvider(tx)))
      refuseMember('/tax', 'not_together', 'needs a tax provider: configure one with PUT /tax-provider')
    const seller = applyInput(before.seller, input)
    const after = {
      seller,
      required: before.required || missingOfSeller(seller).length === 0,
      numbering: { ...before.numbering, ...input.numbering },
      tax: input.tax ?? before.tax,
    }
    await store.updateSeller(tx, after)
    await recordUpdate(tx, after)
    return after
  })
}

async function recordUpdate(tx: Tx, { seller, numbering, tax }: SellerSettings): Promise<void> {
  await recordAuditEntry(tx, 'seller.updated', {
    objectId: tx.caller.workspaceId,
    details: {
      legal_name: seller.legal_name,
      country: seller.address?.country ?? null,
      tax_ids: seller.tax_ids.map(({ value }) => value).join(', '),
      iban: seller.bank?.iban ?? null,
      number_prefix: numbering.prefix,
      number_reset: numbering.reset,
      tax,
    },
  })
}

const emptyAddress: PostalAddress = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
}
const emptyBank = { account_holder: null, name: null, iban: null, bic: null }
const emptyContact = { email: null, phone: null, url: null }

/** Omitted members are unchanged. Nested objects are replaced as a whole, and their omitted members become null. */
function applyInput(before: SellerParty, input: UpdateSeller): SellerParty {
  const sentOrCurrent = <T>(sent: T | undefined, current: T) => (sent === undefined ? current : sent)
  const completed = <T extends object>(sent: Partial<T> | null | undefined, empty: T, current: T | null) =>
    sent ? { ...empty, ...sent } : sentOrCurrent(sent, current)
  return {
    legal_name: sentOrCurrent(input.legal_name, before.legal_name),
    vat_scheme: sentOrCurrent(input.vat_scheme, before.vat_scheme),
    time_zone: sentOrCurrent(input.time_zone, before.time_zone),
    address: completed<PostalAddress>(input.address, emptyAddress, before.address),
    registration: sentOrCurrent(input.registration, before.registration),
    tax_ids: sentOrCurrent(input.tax_ids, before.tax_ids),
    bank: completed<NonNullable<SellerParty['bank']>>(input.bank, emptyBank, before.bank),
    contact: completed<NonNullable<SellerParty['contact']>>(input.contact, emptyContact, before.contact),
    electronic_address: sentOrCurrent(input.electronic_address, before.electronic_address ?? null),
    footer: sentOrCurrent(input.footer as SellerParty['footer'] | undefined, before.footer),
  }
}
