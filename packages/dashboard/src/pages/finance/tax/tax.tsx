/** Whether invoices have tax, the rate of a customer, and the rules and rates that determine it. */
import type { Seller, TaxRate } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { GuardedPage } from '../../../ui/page-loaded.tsx'
import { PageHead } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { Preview } from './preview.tsx'
import { Provider } from './provider.tsx'
import { Rates } from './rates.tsx'
import { Rules } from './rules.tsx'

export function Page() {
  return (
    <GuardedPage operation="tax_rules.list" title="Tax">
      {() => <TaxView />}
    </GuardedPage>
  )
}

/** Rules refer to rates, and a workspace has few of them. */
const maxRates = 500

function TaxView() {
  const seller = useObject(['seller', 'settings'], (api) => api.seller.get())
  const rates = useObject(['tax_rate', 'all'], (api) => api.taxRates.list().all({ max: maxRates }))
  const mode = seller.data?.tax
  return (
    <>
      <PageHead
        title="Tax"
        titleExtra={mode !== undefined && <Status status={mode === 'none' ? 'inactive' : 'active'} />}
        actions={seller.data !== undefined && <ModeButton seller={seller.data} />}
      >
        <p className="mt-1 max-w-180 text-ink2">
          {mode === 'provider'
            ? 'The tax provider computes and records the tax of new invoices. Finalized invoices keep their tax.'
            : 'The first rule that matches selects the tax rate of an invoice line. Finalized invoices keep their tax.'}
        </p>
      </PageHead>
      <Loaded query={rates} rows={8}>
        {(loaded) => <Panels rates={loaded} mode={mode} />}
      </Loaded>
    </>
  )
}

function Panels({ rates, mode }: { rates: readonly TaxRate[]; mode: Seller['tax'] | undefined }) {
  return (
    <div className="grid gap-4">
      <Provider mode={mode} />
      <Preview rates={rates} />
      <Rules rates={rates} />
      <Rates rates={rates} />
    </div>
  )
}

function ModeButton({ seller }: { seller: Seller }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const [isOpen, setOpen] = useState(false)
  const disabledReason = disabledReasonFor('seller.update')
  const isOn = seller.tax !== 'none'
  const body = { tax: isOn ? ('none' as const) : ('rates' as const) }
  const title = isOn ? 'Turn off tax' : 'Turn on tax'
  const close = () => setOpen(false)
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {title}…
      </Button>
      {isOpen && (
        <ActionDialog
          title={title}
          intro={
            isOn
              ? 'New invoices have no tax. Existing invoices are not changed.'
              : 'New invoices have the tax that your rules select. Existing invoices are not changed.'
          }
          submit={title}
          danger={isOn}
          cancelLabel="Keep current setting"
          disabledReason={disabledReason}
          call={{ method: 'PUT', path: '/seller', body, sdk: { method: 'seller.update', args: [body] } }}
          run={async (key) => {
            await api.seller.update(body, key)
            await invalidate('seller', 'tax_preview')
          }}
          successMessage={isOn ? 'Tax turned off' : 'Tax turned on'}
          onDone={close}
          onCancel={close}
        />
      )}
    </>
  )
}
