/** One payment method: the card, whose it is, and how it was verified. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { cardText } from '../../../format/card.ts'
import { words } from '../../../format/words.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { AttachMethod, DetachMethod } from './attach.tsx'
import { expiryText } from './columns.tsx'
import { EditMethod } from './edit.tsx'

export function Page() {
  return (
    <ObjectPage
      noun="payment_method"
      title="Payment method"
      list={{ text: 'Payment methods', to: '/payment-methods' }}
      read={(api, id, signal) => api.paymentMethods.get(id, { signal })}
    >
      {(found) => <Found method={found} />}
    </ObjectPage>
  )
}

function Found({ method }: { method: PaymentMethod }) {
  return (
    <>
      <Head method={method} />
      <Columns
        main={
          <Tabs
            label="About this payment method"
            tabs={[
              {
                id: 'events',
                text: 'Events',
                content: () => <ObjectEvents id={method.id} noun="payment_method" />,
              },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json of={method} label="the payment method" />
                  </div>
                ),
              },
            ]}
          />
        }
        side={<Side method={method} />}
      />
    </>
  )
}

function Head({ method }: { method: PaymentMethod }) {
  const may = useMay()
  const [open, setOpen] = useState<'attach' | 'detach' | 'edit' | null>(null)
  const close = () => setOpen(null)
  const isOver = method.status === 'detached'
  return (
    <PageHead
      crumbs={[{ text: 'Payment methods', to: '/payment-methods' }, { text: method.id }]}
      title={cardText(method.card)}
      beside={<Status of={method.status} />}
      actions={
        isOver ? undefined : (
          <>
            {method.status === 'authorized' && (
              <Button
                look="primary"
                refused={may('payment_methods.attach')}
                onClick={() => setOpen('attach')}
              >
                Attach…
              </Button>
            )}
            <Button refused={may('payment_methods.update')} onClick={() => setOpen('edit')}>
              Edit
            </Button>
            <Button look="danger" refused={may('payment_methods.detach')} onClick={() => setOpen('detach')}>
              Detach…
            </Button>
          </>
        )
      }
    >
      <div className="mt-3">
        <Sentence>{sentenceOf(method)}</Sentence>
      </div>
      {open === 'attach' && <AttachMethod methodId={method.id} close={close} />}
      {open === 'detach' && <DetachMethod method={method} close={close} />}
      {open === 'edit' && <EditMethod method={method} close={close} />}
    </PageHead>
  )
}

function sentenceOf({ status, usage, detached_reason: reason }: PaymentMethod): string {
  if (status === 'authorized')
    return 'It was verified, and pays once it is attached to a customer. If nobody attaches it within a week, it is forgotten.'
  if (status === 'detached') return `It is gone for good${reason === null ? '' : ` (\`${reason}\`)`}.`
  return usage === 'off_session'
    ? 'Its customer can pay with it, and it may be charged while the payer is not there.'
    : 'Its customer can pay with it. It may not be charged while the payer is not there.'
}

function Side({ method }: { method: PaymentMethod }) {
  const nameOf = useAccountName()
  const { card, authorization, billing_details: billing } = method
  return (
    <>
      <Panel title="Card">
        <Facts
          of={[
            ['Customer', method.customer_id && <ObjectLink id={method.customer_id} />],
            ['Number', cardText(card)],
            ['Expires', expiryText(card)],
            ['Funding', card.funding && words(card.funding)],
            ['Country', card.country],
            ['Name', billing?.name],
            ['E-mail', billing?.email],
            ['Fingerprint', card.fingerprint && <Id id={card.fingerprint} whole />],
          ]}
        />
      </Panel>
      <Panel title="Verified">
        <Facts
          of={[
            ['At', <Time key="at" at={authorization.verified_at} exact />],
            ['By payment', <ObjectLink key="payment" id={authorization.payment_id} />],
            [
              'Provider',
              <ObjectLink key="provider" id={authorization.provider_account_id}>
                {nameOf(authorization.provider_account_id)}
              </ObjectLink>,
            ],
            ['Network id', authorization.network_transaction_id],
          ]}
        />
      </Panel>
    </>
  )
}
