/** What can be done with a subscription in its state. Each shows its effect first. */
import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../../api/queries.ts'
import { useApi, useMay } from '../../../../api/workspace.tsx'
import { ActionDialog } from '../../../../ui/action.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Menu } from '../../../../ui/menu.tsx'
import { CancelDialog } from './cancel.tsx'
import { ChangeDialog } from './change.tsx'
import { EffectDialog } from './effect.tsx'
import { PauseDialog } from './pause.tsx'
import { ResumeDialog } from './resume.tsx'

type Open = 'pause' | 'resume' | 'change' | 'cancel' | 'withdraw' | 'unpark' | null

export function SubscriptionActs({ subscription }: { subscription: Subscription }) {
  const [open, setOpen] = useState<Open>(null)
  const may = useMay()
  const { status, scheduled_change: change, parked } = subscription
  const close = () => setOpen(null)
  if (status === 'cancelled') return null
  return (
    <>
      <Button refused={may('subscriptions.update')} onClick={() => setOpen('change')}>
        Change…
      </Button>
      {status === 'paused' ? (
        <Button look="primary" refused={may('subscriptions.resume')} onClick={() => setOpen('resume')}>
          Resume…
        </Button>
      ) : (
        <Button refused={may('subscriptions.pause')} onClick={() => setOpen('pause')}>
          Pause…
        </Button>
      )}
      <Menu
        label="More actions"
        items={[
          ...(change === null
            ? []
            : [
                {
                  text: `Withdraw the scheduled ${change.action}…`,
                  onSelect: () => setOpen('withdraw'),
                  refused: may('subscriptions.update'),
                },
              ]),
          ...(parked === null
            ? []
            : [
                {
                  text: 'Let it go on…',
                  onSelect: () => setOpen('unpark'),
                  refused: may('subscriptions.unpark'),
                },
              ]),
          {
            text: 'Cancel…',
            danger: true,
            onSelect: () => setOpen('cancel'),
            refused: may('subscriptions.cancel'),
          },
        ]}
      />
      {open === 'pause' && <PauseDialog subscription={subscription} close={close} />}
      {open === 'resume' && <ResumeDialog subscription={subscription} close={close} />}
      {open === 'change' && <ChangeDialog subscription={subscription} close={close} />}
      {open === 'cancel' && <CancelDialog subscription={subscription} close={close} />}
      {open === 'withdraw' && <WithdrawDialog subscription={subscription} close={close} />}
      {open === 'unpark' && <UnparkDialog subscription={subscription} close={close} />}
    </>
  )
}

type DialogProps = { subscription: Subscription; close: () => void }

function WithdrawDialog({ subscription, close }: DialogProps) {
  return (
    <EffectDialog
      subscription={subscription}
      act="update"
      title={`Withdraw the scheduled ${subscription.scheduled_change?.action ?? 'change'}`}
      submit="Withdraw it"
      done="What was scheduled is withdrawn."
      body={{ scheduled_change: null }}
      close={close}
    />
  )
}

function UnparkDialog({ subscription: { id, parked }, close }: DialogProps) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title="Let it go on"
      intro={`It was parked because of this: ${parked?.reason ?? ''} From now on things happen by themselves again.`}
      submit="Let it go on"
      refused={may('subscriptions.unpark')}
      call={{
        method: 'POST',
        path: `/subscriptions/${id}/unpark`,
        sdk: { method: 'subscriptions.unpark', args: [id] },
      }}
      run={async (key) => {
        await api.subscriptions.unpark(id, key)
        await reread('subscription')
      }}
      done="It goes on."
      onDone={close}
      onCancel={close}
    />
  )
}
