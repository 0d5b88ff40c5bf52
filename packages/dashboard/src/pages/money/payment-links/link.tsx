/** One payment link: its address to hand on, what it asks for, and who came by it. */
import type { PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { words } from '../../../format/words.ts'
import { QrCode } from '../../../qr/qr-code.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { OutLink } from '../../../ui/link.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Money, Time } from '../../../ui/values.tsx'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { EditLink, SwitchLink } from './acts.tsx'
import { Sessions } from './sessions.tsx'
import { linkSentence, paidText, priceText } from './words.ts'

export function Page() {
  return (
    <ObjectPage
      noun="payment_link"
      title="Payment link"
      list={{ text: 'Payment links', to: '/payment-links' }}
      read={(api, id, signal) => api.paymentLinks.get(id, { signal })}
    >
      {(found) => <Found link={found} />}
    </ObjectPage>
  )
}

function Found({ link }: { link: PaymentLink }) {
  return (
    <>
      <Head link={link} />
      <Columns
        main={
          <Tabs
            label="About this payment link"
            tabs={[
              { id: 'payments', text: 'Payments', content: () => <Sessions linkId={link.id} /> },
              {
                id: 'events',
                text: 'Events',
                content: () => <ObjectEvents id={link.id} noun="payment_link" />,
              },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json of={link} label="the payment link" />
                  </div>
                ),
              },
            ]}
          />
        }
        side={
          <>
            <AddressPanel link={link} />
            <Terms link={link} />
          </>
        }
      />
    </>
  )
}

function Head({ link }: { link: PaymentLink }) {
  const may = useMay()
  const [open, setOpen] = useState<'edit' | 'switch' | null>(null)
  const close = () => setOpen(null)
  const isActive = link.status === 'active'
  return (
    <PageHead
      crumbs={[{ text: 'Payment links', to: '/payment-links' }, { text: link.id }]}
      title={link.description ?? priceText(link)}
      beside={<Status of={link.status} />}
      actions={
        <>
          <Button refused={may('payment_links.update')} onClick={() => setOpen('edit')}>
            Edit
          </Button>
          <Button
            look={isActive ? 'danger' : 'primary'}
            refused={may(isActive ? 'payment_links.deactivate' : 'payment_links.activate')}
            onClick={() => setOpen('switch')}
          >
            {isActive ? 'Deactivate…' : 'Activate…'}
          </Button>
        </>
      }
    >
      <div className="mt-3">
        <Sentence>{linkSentence(link)}</Sentence>
      </div>
      {open === 'edit' && <EditLink link={link} close={close} />}
      {open === 'switch' && <SwitchLink link={link} close={close} />}
    </PageHead>
  )
}

function AddressPanel({ link: { url } }: { link: PaymentLink }) {
  return (
    <Panel title="Address" beside={<CopyButton text={url} label="Copy address" />}>
      <div className="grid justify-items-center gap-3">
        <QrCode text={url} label="The address as a code" />
        <span className="text-center font-mono text-compact break-all">{url}</span>
        <OutLink href={url}>Open the page as a payer sees it</OutLink>
      </div>
    </Panel>
  )
}

function Terms({ link }: { link: PaymentLink }) {
  const { currency, after_completion: after, line_items: items } = link
  return (
    <Panel title="Terms">
      <Facts
        of={[
          ['To pay', priceText(link)],
          ...(items ?? []).map(
            (item) =>
              [
                `${item.quantity} × ${item.name}`,
                <Money key={item.name} amount={item.unit_amount} currency={currency} />,
              ] as const,
          ),
          ['Paid', paidText(link)],
          ['Until', <Time key="until" at={link.expires_at} exact />],
          ['Asks for', link.collect.length === 0 ? null : link.collect.map(words).join(', ')],
          ['Own questions', link.custom_fields.length === 0 ? null : link.custom_fields.length],
          ['Capture', words(link.capture_method)],
          ['Afterwards', after.type === 'page' ? (after.message ?? 'Our page') : after.url],
          ['Customer', link.customer_id && <ObjectLink id={link.customer_id} />],
          ['Route', link.payment_route_id && <ObjectLink id={link.payment_route_id} />],
          ['Language', link.locale],
          ['Created', <Time key="created" at={link.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
