/** One customer: who it is, what they pay with, what they pay for, and what they have paid. */
import type { Customer } from '@switchyard/sdk'
import { useState } from 'react'
import { useHere, useMay } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { TestPayment } from '../payments/test-payment.tsx'
import { BillingPanel } from './billing.tsx'
import { DeleteCustomer, EditCustomer } from './edit.tsx'
import { MethodsPanel } from './methods.tsx'
import { CustomerPayments } from './payments.tsx'
import { CustomerSubscriptions } from './subscriptions.tsx'

export function Page() {
  return (
    <ObjectPage
      noun="customer"
      title="Customer"
      list={{ text: 'Customers', to: '/customers' }}
      read={(api, id, signal) => api.customers.get(id, { signal })}
    >
      {(found) => <Found customer={found} />}
    </ObjectPage>
  )
}

function Found({ customer }: { customer: Customer }) {
  const { id } = customer
  return (
    <>
      <Head customer={customer} />
      <Columns
        main={
          <>
            <MethodsPanel customerId={id} />
            <Tabs
              label="About this customer"
              tabs={[
                { id: 'payments', text: 'Payments', content: () => <CustomerPayments customerId={id} /> },
                {
                  id: 'subscriptions',
                  text: 'Subscriptions',
                  content: () => <CustomerSubscriptions customerId={id} />,
                },
                { id: 'events', text: 'Events', content: () => <ObjectEvents id={id} noun="customer" /> },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json of={customer} label="the customer" />
                    </div>
                  ),
                },
              ]}
            />
          </>
        }
        side={
          <>
            <Identity customer={customer} />
            <BillingPanel customerId={id} />
          </>
        }
      />
    </>
  )
}

function Head({ customer }: { customer: Customer }) {
  const may = useMay()
  const { workspace } = useHere()
  const [open, setOpen] = useState<'edit' | 'delete' | 'pay' | null>(null)
  const close = () => setOpen(null)
  return (
    <PageHead
      crumbs={[{ text: 'Customers', to: '/customers' }, { text: customer.id }]}
      title={customer.name ?? customer.email ?? 'Customer without a name'}
      actions={
        <>
          {workspace.mode === 'test' && (
            <Button refused={may('payments.create')} onClick={() => setOpen('pay')}>
              Make a test payment
            </Button>
          )}
          <Button refused={may('customers.update')} onClick={() => setOpen('edit')}>
            Edit
          </Button>
          <Menu
            label="More about this customer"
            items={[
              { text: 'Copy id', onSelect: () => void navigator.clipboard.writeText(customer.id) },
              null,
              {
                text: 'Delete…',
                danger: true,
                refused: may('customers.delete'),
                onSelect: () => setOpen('delete'),
              },
            ]}
          />
        </>
      }
    >
      {open === 'edit' && <EditCustomer customer={customer} close={close} />}
      {open === 'delete' && <DeleteCustomer customer={customer} close={close} />}
      {open === 'pay' && <TestPayment close={close} customerId={customer.id} />}
    </PageHead>
  )
}

function Identity({ customer }: { customer: Customer }) {
  const { email, address } = customer
  const lines = address && [
    address.line1,
    address.line2,
    [address.postal_code, address.city].filter(Boolean).join(' '),
    address.state,
    address.country,
  ]
  return (
    <Panel title="Identity" beside={email !== null && <CopyButton text={email} label="Copy e-mail" />}>
      <Facts
        of={[
          ['Name', customer.name],
          ['E-mail', email],
          ['Phone', customer.phone],
          ['Language', customer.locale],
          [
            'Address',
            lines && <span className="whitespace-pre-line">{lines.filter(Boolean).join('\n')}</span>,
          ],
          ['Description', customer.description],
          ...customer.tax_ids.map(({ type, value }) => [type, value] as const),
          ['Test clock', customer.test_clock_id && <ObjectLink id={customer.test_clock_id} />],
          ...Object.entries(customer.metadata),
          ['Created', <Time key="created" at={customer.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
