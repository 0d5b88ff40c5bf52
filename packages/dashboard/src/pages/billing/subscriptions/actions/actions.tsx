/** The actions that the status of a subscription allows. Most dialogs show a preview of the effect. */
import type { Subscription } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../../api/workspace.tsx'
import { ActionDialog } from '../../../../ui/action.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Menu } from '../../../../ui/menu.tsx'
import { CancelDialog } from './cancel.tsx'
import { ChangeDialog } from './change.tsx'
import { EffectDialog } from './effect.tsx'
import { PauseDialog } from './pause.tsx'
import { ResumeDialog } from './resume.tsx'

const scheduledNouns = { cancel: 'cancellation', pause: 'pause', update: 'change' } as const

type Open = 'pause' | 'resume' | 'change' | 'cancel' | 'withdraw' | 'unpark' | null

export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  const { status, scheduled_change: change, parked } = subscription
  const close = () => setOpen(null)
  if (status === 'cancelled') return null
  return (
    <>
      <Button disabledReason={disabledReasonFor('subscriptions.update')} onClick={() => setOpen('change')}>
        Change subscription…
      </Button>
      {status === 'paused' ? (
        <Button
          variant="primary"
          disabledReason={disabledReasonFor('subscriptions.resume')}
          onClick={() => setOpen('resume')}
        >
          Resume subscription…
        </Button>
      ) : (
        <Button disabledReason={disabledReasonFor('subscriptions.pause')} onClick={() => setOpen('pause')}>
          Pause subscription…
        </Button>
      )}
      <Menu
        label="More actions"
        items={[
          ...(change === null
            ? []
            : [
                {
                  text: `Remove scheduled ${scheduledNouns[change.action]}…`,
                  onSelect: () => setOpen('withdraw'),
                  disabledReason: disabledReasonFor('subscriptions.update'),
                },
              ]),
          ...(parked === null
            ? []
            : [
                {
                  text: 'Unpark subscription…',
                  onSelect: () => setOpen('unpark'),
                  disabledReason: disabledReasonFor('subscriptions.unpark'),
                },
              ]),
          {
            text: 'Cancel subscription…',
            danger: true,
            onSelect: () => setOpen('cancel'),
            disabledReason: disabledReasonFor('subscriptions.cancel'),
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
      action="update"
      title={`Remove scheduled ${scheduledNouns[subscription.scheduled_change?.action ?? 'update']}`}
      submit="Remove scheduled change"
      successMessage="Scheduled change removed"
      body={{ scheduled_change: null }}
      close={close}
    />
  )
}

function UnparkDialog({ subscription: { id, parked }, close }: DialogProps) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Unpark subscription"
      intro={`Automatic processing was stopped for this reason: ${parked?.reason ?? ''} Unparking resumes renewals and other automatic processing.`}
      submit="Unpark subscription"
      disabledReason={disabledReasonFor('subscriptions.unpark')}
      call={{
        method: 'POST',
        path: `/subscriptions/${id}/unpark`,
        sdk: { method: 'subscriptions.unpark', args: [id] },
      }}
      run={async (key) => {
        await api.subscriptions.unpark(id, key)
        await invalidate('subscription')
      }}
      successMessage="Subscription unparked"
      onDone={close}
      onCancel={close}
    />
  )
}
