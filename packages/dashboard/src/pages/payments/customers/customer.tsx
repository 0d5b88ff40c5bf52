/** One customer: details, payment methods, subscriptions and payments. */
import type { Customer } from '@switchyard/sdk'
import { useState } from 'react'
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { CreditNotes } from '../../billing/invoices/credit-notes.tsx'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { TestPayment } from '../payments/test-payment.tsx'
import { BillingPanel } from './billing.tsx'
import { DiscountsPanel } from './discounts.tsx'
import { DeleteCustomer, EditCustomer } from './edit.tsx'
import { CardUpdateLink, PortalLink } from './links.tsx'
import { CustomerMails } from './mails.tsx'
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
      {(customer) => <CustomerView customer={customer} />}
    </ObjectPage>
  )
}

function CustomerView({ customer }: { customer: Customer }) {
  const { id } = customer
  return (
    <>
      <Head customer={customer} />
      <Columns
        main={
          <>
            <MethodsPanel customerId={id} />
            <Tabs
              label="Customer details"
              tabs={[
                { id: 'payments', text: 'Payments', content: () => <CustomerPayments customerId={id} /> },
                {
                  id: 'subscriptions',
                  text: 'Subscriptions',
                  content: () => <CustomerSubscriptions customerId={id} />,
                },
                {
                  id: 'credit-notes',
                  text: 'Credit notes',
                  content: () => <CreditNotes of="customer" id={id} />,
                },
                { id: 'mails', text: 'E-mails', content: () => <CustomerMails customerId={id} /> },
                { id: 'events', text: 'Events', content: () => <ObjectEvents id={id} noun="customer" /> },
                {
                  id: 'json',
                  text: 'JSON',
                  content: () => (
                    <div className="p-4">
                      <Json value={customer} label="customer JSON" />
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
            <DiscountsPanel customerId={id} />
          </>
        }
      />
    </>
  )
}

function Head({ customer }: { customer: Customer }) {
  const disabledReasonFor = useDisabledReason()
  const { workspace } = useWorkspace()
  const [open, setOpen] = useState<'edit' | 'delete' | 'pay' | 'card' | 'portal' | null>(null)
  const close = () => setOpen(null)
  return (
    <PageHead
      crumbs={[{ text: 'Customers', to: '/customers' }, { text: customer.id }]}
      title={customer.name ?? customer.email ?? 'Unnamed customer'}
      actions={
        <>
          {workspace.mode === 'test' && (
            <Button disabledReason={disabledReasonFor('payments.create')} onClick={() => setOpen('pay')}>
              Create test payment
            </Button>
          )}
          <Button disabledReason={disabledReasonFor('customers.update')} onClick={() => setOpen('edit')}>
            Edit customer
          </Button>
          <Menu
            label="More actions"
            items={[
              { text: 'Copy ID', onSelect: () => void navigator.clipboard.writeText(customer.id) },
              {
                text: 'Create card update link…',
                disabledReason: disabledReasonFor('customers.update_payment_method_link'),
                onSelect: () => setOpen('card'),
              },
              {
                text: 'Open portal…',
                disabledReason: disabledReasonFor('portal_sessions.create'),
                onSelect: () => setOpen('portal'),
              },
              null,
              {
                text: 'Delete customer…',
                danger: true,
                disabledReason: disabledReasonFor('customers.delete'),
                onSelect: () => setOpen('delete'),
              },
            ]}
          />
        </>
      }
    >
      {open === 'edit' && <EditCustomer customer={customer} close={close} />}
      {open === 'delete' && <DeleteCustomer customer={customer} close={close} />}
      {open === 'card' && <CardUpdateLink customer={customer} close={close} />}
      {open === 'portal' && <PortalLink customer={customer} close={close} />}
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
    <Panel title="Identity" titleExtra={email !== null && <CopyButton text={email} label="Copy email" />}>
      <Facts
        facts={[
          ['Name', customer.name],
          ['Email', email],
          ['E-mails', customer.email_status && <Status status={customer.email_status} />],
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
