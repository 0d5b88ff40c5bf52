/** The company that issues the invoices, and the legal fields that are missing. */
import type { Seller, UpdateSeller } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { GuardedPage } from '../../../ui/page-loaded.tsx'
import { Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { bodyOf, draftOf, factsOf, missingText, type SellerDraft } from './seller-draft.ts'

export function Page() {
  return (
    <GuardedPage operation="seller.get" title="Seller">
      {() => <SellerView />}
    </GuardedPage>
  )
}

function SellerView() {
  const seller = useObject(['seller', 'settings'], (api) => api.seller.get())
  const [isOpen, setOpen] = useState(false)
  const disabledReasonFor = useDisabledReason()
  return (
    <>
      <PageHead
        title="Seller"
        actions={
          <Button disabledReason={disabledReasonFor('seller.update')} onClick={() => setOpen(true)}>
            Edit seller…
          </Button>
        }
      >
        <p className="mt-1 max-w-180 text-ink2">
          Your company as it appears on invoices. Finalized invoices keep the values that they were finalized
          with.
        </p>
      </PageHead>
      <Loaded query={seller} rows={8}>
        {(loaded) => (
          <>
            {loaded.missing.length > 0 && (
              <p role="status" className="mb-4 max-w-180">
                {missingText(loaded)}
              </p>
            )}
            <Panel title="Company">
              <Facts facts={factsOf(loaded)} />
            </Panel>
            {isOpen && <EditSeller seller={loaded} close={() => setOpen(false)} />}
          </>
        )}
      </Loaded>
    </>
  )
}

/** The text fields of the form: name in the draft, label and position in the request. */
const fields: readonly {
  readonly name: keyof SellerDraft
  readonly label: string
  readonly pointer: string
}[] = [
  { name: 'legalName', label: 'Legal name', pointer: '/legal_name' },
  { name: 'line1', label: 'Street and number', pointer: '/address/line1' },
  { name: 'postalCode', label: 'Postal code', pointer: '/address/postal_code' },
  { name: 'city', label: 'City', pointer: '/address/city' },
  { name: 'country', label: 'Country code', pointer: '/address/country' },
  { name: 'taxId', label: 'Tax ID', pointer: '/tax_ids/0/value' },
  { name: 'taxIdType', label: 'Tax ID type', pointer: '/tax_ids/0/type' },
  { name: 'register', label: 'Company register', pointer: '/registration/register' },
  { name: 'registerNumber', label: 'Number in the register', pointer: '/registration/number' },
  { name: 'iban', label: 'IBAN', pointer: '/bank/iban' },
  { name: 'bic', label: 'BIC', pointer: '/bank/bic' },
  { name: 'email', label: 'E-mail address', pointer: '/contact/email' },
  { name: 'phone', label: 'Phone number', pointer: '/contact/phone' },
  { name: 'networkScheme', label: 'E-invoice address scheme', pointer: '/electronic_address/scheme' },
  { name: 'networkAddress', label: 'E-invoice address', pointer: '/electronic_address/value' },
  { name: 'timeZone', label: 'Time zone', pointer: '/time_zone' },
  { name: 'prefix', label: 'Prefix of invoice numbers', pointer: '/numbering/prefix' },
]

function EditSeller({ seller, close }: { seller: Seller; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [draft, setDraft] = useState(() => draftOf(seller))
  const body: UpdateSeller = bodyOf(draft, seller)
  return (
    <ActionDialog
      title="Edit seller"
      submit="Save seller"
      call={{ method: 'PUT', path: '/seller', body, sdk: { method: 'seller.update', args: [body] } }}
      run={async (key) => {
        await api.seller.update(body, key)
        await invalidate('seller')
      }}
      successMessage="Seller saved"
      onDone={close}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(({ name, label, pointer }) => (
          <TextField
            key={name}
            label={label}
            pointer={pointer}
            value={draft[name]}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        ))}
        <SelectField
          label="VAT scheme"
          value={draft.vatScheme}
          options={[
            { value: 'standard', text: 'Standard' },
            { value: 'cash', text: 'Cash accounting' },
            { value: 'small_business', text: 'Small business' },
          ]}
          onChange={(value) => setDraft({ ...draft, vatScheme: value as Seller['vat_scheme'] })}
        />
        <SelectField
          label="Invoice numbers"
          value={draft.reset}
          options={[
            { value: 'never', text: 'Continue forever: INV-000042' },
            { value: 'yearly', text: 'Begin with 1 every year: INV-2026-000042' },
          ]}
          onChange={(value) => setDraft({ ...draft, reset: value as SellerDraft['reset'] })}
        />
      </div>
    </ActionDialog>
  )
}
