/** The actions that the status of a dispute allows: submit the evidence, accept the dispute, check it at the provider. */
import type { Dispute } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { actionsOf, type DisputeAction, hasEvidence } from './state.ts'

type ActionText = {
  readonly button: string
  readonly title: string
  readonly intro: (dispute: Dispute) => string
  readonly submit: (dispute: Dispute) => string
  readonly cancelLabel: string
  readonly done: string
}

const moneyOf = ({ amount, currency }: Dispute) => moneyText(amount, currency)

const texts: { readonly [A in DisputeAction]: ActionText } = {
  submit: {
    button: 'Submit evidence…',
    title: 'Submit evidence',
    intro: (dispute) =>
      `Your evidence for the dispute over ${moneyOf(dispute)} is sent to the provider. Most banks accept one response, so check that it is complete.`,
    submit: () => 'Submit evidence',
    cancelLabel: 'Not yet',
    done: 'Evidence sent',
  },
  accept: {
    button: 'Accept dispute…',
    title: 'Accept dispute',
    intro: (dispute) =>
      `You lose ${moneyOf(dispute)}: the cardholder keeps the money, and fees are not returned. This cannot be undone.`,
    submit: (dispute) => `Accept and lose ${moneyOf(dispute)}`,
    cancelLabel: 'Keep dispute',
    done: 'Dispute accepted',
  },
  check: {
    button: 'Check now…',
    title: 'Check dispute status',
    intro: () => 'We ask the provider for the current state of this dispute. This moves no money.',
    submit: () => 'Check status',
    cancelLabel: 'Cancel',
    done: 'Status checked',
  },
}

export function DisputeActions({ dispute }: { dispute: Dispute }) {
  const disabledReasonFor = useDisabledReason()
  const [open, setOpen] = useState<DisputeAction | null>(null)
  const reasonOf = (action: DisputeAction) =>
    disabledReasonFor(`disputes.${action}`) ??
    (action === 'submit' && !hasEvidence(dispute) ? 'Add evidence first.' : null)
  return (
    <>
      {actionsOf(dispute).map((action) => (
        <Button
          key={action}
          variant={action === 'submit' ? 'primary' : action === 'accept' ? 'danger' : 'plain'}
          disabledReason={reasonOf(action)}
          onClick={() => setOpen(action)}
        >
          {texts[action].button}
        </Button>
      ))}
      {open !== null && <RespondDialog dispute={dispute} action={open} close={() => setOpen(null)} />}
    </>
  )
}

function RespondDialog(props: { dispute: Dispute; action: DisputeAction; close: () => void }) {
  const { dispute, action, close } = props
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = dispute
  const { title, intro, submit, cancelLabel, done } = texts[action]
  return (
    <ActionDialog
      title={title}
      danger={action === 'accept'}
      intro={intro(dispute)}
      submit={submit(dispute)}
      cancelLabel={cancelLabel}
      call={{
        method: 'POST',
        path: `/disputes/${id}/${action}`,
        sdk: { method: `disputes.${action}`, args: [id] },
      }}
      run={(key) => api.disputes[action](id, key)}
      successMessage={done}
      onDone={() => {
        close()
        void invalidate('dispute', 'payment')
      }}
      onCancel={close}
    />
  )
}
