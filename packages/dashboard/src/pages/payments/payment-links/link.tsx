/** One payment link: its URL, its settings, and its checkout sessions. */
import type { PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { ExternalLink } from '../../../ui/link.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Money, Time } from '../../../ui/values.tsx'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { EditLink, ToggleLink } from './actions.tsx'
import { linkSentence, paidText, priceText } from './link-text.ts'
import { Sessions } from './sessions.tsx'

export function Page() {
  return (
    <ObjectPage
      noun="payment_link"
      title="Payment link"
      list={{ text: 'Payment links', to: '/payment-links' }}
      read={(api, id, signal) => api.paymentLinks.get(id, { signal })}
    >
      {(link) => <LinkView link={link} />}
    </ObjectPage>
  )
}

function LinkView({ link }: { link: PaymentLink }) {
  return (
    <>
      <Head link={link} />
      <Columns
        main={
          <Tabs
            label="Payment link details"
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
                    <Json value={link} label="payment link JSON" />
                  </div>
                ),
              },
            ]}
          />
        }
        side={
          <>
            <UrlPanel link={link} />
            <LinkSettings link={link} />
          </>
        }
      />
    </>
  )
}

function Head({ link }: { link: PaymentLink }) {
  const disabledReasonFor = useDisabledReason()
  const [open, setOpen] = useState<'edit' | 'toggle' | null>(null)
  const close = () => setOpen(null)
  const isActive = link.status === 'active'
  return (
    <PageHead
      crumbs={[{ text: 'Payment links', to: '/payment-links' }, { text: link.id }]}
      title={link.description ?? priceText(link)}
      titleExtra={<Status status={link.status} />}
      actions={
        <>
          <Button disabledReason={disabledReasonFor('payment_links.update')} onClick={() => setOpen('edit')}>
            Edit link
          </Button>
          <Button
            variant={isActive ? 'danger' : 'primary'}
            disabledReason={disabledReasonFor(
              isActive ? 'payment_links.deactivate' : 'payment_links.activate',
            )}
            onClick={() => setOpen('toggle')}
          >
            {isActive ? 'Deactivate link…' : 'Activate link…'}
          </Button>
        </>
      }
    >
      <div className="mt-3">
        <Sentence>{linkSentence(link)}</Sentence>
      </div>
      {open === 'edit' && <EditLink link={link} close={close} />}
      {open === 'toggle' && <ToggleLink link={link} close={close} />}
    </PageHead>
  )
}

function UrlPanel({ link: { url } }: { link: PaymentLink }) {
  return (
    <Panel title="URL" titleExtra={<CopyButton text={url} label="Copy URL" />}>
      <div className="grid justify-items-center gap-3">
        <QrCode text={url} label="QR code of the payment link" />
        <span className="text-center font-mono text-compact break-all">{url}</span>
        <ExternalLink href={url}>Open payment page</ExternalLink>
      </div>
    </Panel>
  )
}

function LinkSettings({ link }: { link: PaymentLink }) {
  const { currency, after_completion: after, line_items: items } = link
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Amount due', priceText(link)],
          ...(items ?? []).map(
            (item) =>
              [
                `${item.quantity} × ${item.name}`,
                <Money key={item.name} amount={item.amount} currency={currency} />,
              ] as const,
          ),
          ['Trial', link.subscription?.trial == null ? null : `${link.subscription.trial.days} days`],
          ['Payments', paidText(link)],
          ['Expires', <Time key="until" at={link.expires_at} exact />],
          ['Collects', link.collect.length === 0 ? null : link.collect.map(sentenceCase).join(', ')],
          ['Custom fields', link.custom_fields.length === 0 ? null : link.custom_fields.length],
          ['Capture', sentenceCase(link.capture_method)],
          [
            'After payment',
            after.type === 'page' ? (after.message ?? 'Hosted confirmation page') : after.url,
          ],
          ['Customer', link.customer_id && <ObjectLink id={link.customer_id} />],
          ['Route', link.payment_route_id && <ObjectLink id={link.payment_route_id} />],
          ['Language', link.locale],
          ['Created', <Time key="created" at={link.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
