/** Codes beside the password. The secret is shown while it is set up, the recovery codes once. */
import { useState } from 'react'
import { useHere } from '../../../api/workspace.tsx'
import { QrCode } from '../../../qr/qr-code.tsx'
import { knock } from '../../../session/doors.ts'
import { ActionDialog, ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { Status } from '../../../ui/status.tsx'
import { CopyButton } from '../../../ui/values.tsx'
import { useProof } from './proof.tsx'
import { useRereadSession } from './reread-session.ts'

type Secret = { readonly secret: string; readonly uri: string }
type Open =
  | { readonly is: 'begin' }
  | { readonly is: 'enrol'; readonly secret: Secret }
  | { readonly is: 'codes'; readonly codes: readonly string[] }
  | { readonly is: 'remove' }

export function SecondFactor() {
  const { totp_enabled: isOn } = useHere().session.person
  const [open, setOpen] = useState<Open | null>(null)
  return (
    <Panel
      title="Second factor"
      beside={<Status of={isOn ? 'enabled' : 'disabled'}>{isOn ? 'On' : 'Off'}</Status>}
    >
      <div className="grid justify-items-start gap-3">
        <p className="text-ink2">
          {isOn
            ? 'A code of your authenticator is asked for beside your password.'
            : 'With a code of an authenticator beside it, a stolen password opens nothing.'}
        </p>
        {isOn ? (
          <Button look="danger" onClick={() => setOpen({ is: 'remove' })}>
            Turn off…
          </Button>
        ) : (
          <Button onClick={() => setOpen({ is: 'begin' })}>Set up…</Button>
        )}
      </div>
      {open !== null && <Dialogs open={open} setOpen={setOpen} />}
    </Panel>
  )
}

function Dialogs({ open, setOpen }: { open: Open; setOpen: (open: Open | null) => void }) {
  const close = () => setOpen(null)
  if (open.is === 'enrol')
    return <Enrol secret={open.secret} onClose={close} onCodes={(codes) => setOpen({ is: 'codes', codes })} />
  if (open.is === 'begin')
    return <Begin onClose={close} onSecret={(secret) => setOpen({ is: 'enrol', secret })} />
  if (open.is === 'remove') return <Remove onClose={close} />
  return (
    <ShownOnce
      title="Recovery codes"
      intro="Each opens your account once if you lose the authenticator. They are shown this once: keep them away from your password."
      text={open.codes.join('\n')}
      copy="Copy the codes"
      onClose={close}
    />
  )
}

function Begin(props: { onSecret: (secret: Secret) => void; onClose: () => void }) {
  const { proof, field } = useProof()
  return (
    <ActionDialog
      title="Set up a second factor"
      submit="Go on"
      run={async () => props.onSecret(await knock<Secret>('POST', '/session/totp', proof))}
      onDone={() => undefined}
      onCancel={props.onClose}
    >
      {field}
    </ActionDialog>
  )
}

function Enrol(props: { secret: Secret; onCodes: (codes: readonly string[]) => void; onClose: () => void }) {
  const { secret, uri } = props.secret
  const reread = useRereadSession()
  const [code, setCode] = useState('')
  return (
    <Dialog
      title="Set up a second factor"
      intro="Add this to your authenticator, then type the code that it shows."
      onClose={props.onClose}
    >
      <QrCode text={uri} label="Secret for an authenticator" />
      <div className="grid justify-items-start gap-2 rounded-control bg-sunken p-3">
        <p className="font-mono text-sentence break-all">{secret}</p>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret} label="Copy the secret" />
          <CopyButton text={uri} label="Copy as otpauth link" />
        </div>
        <a href={uri} className="text-lock underline underline-offset-2">
          Open in an authenticator on this device
        </a>
      </div>
      <ActionForm
        submit="Turn on"
        run={async () => {
          const { recovery_codes } = await knock<{ recovery_codes: string[] }>(
            'POST',
            '/session/totp/confirm',
            {
              code: code.replaceAll(' ', ''),
            },
          )
          await reread()
          props.onCodes(recovery_codes)
        }}
        onDone={() => undefined}
        onCancel={props.onClose}
      >
        <TextField
          label="Code"
          hint="Six digits."
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          autoFocus
        />
      </ActionForm>
    </Dialog>
  )
}

function Remove({ onClose }: { onClose: () => void }) {
  const reread = useRereadSession()
  const [password, setPassword] = useState('')
  return (
    <ActionDialog
      title="Turn off the second factor"
      intro="Then your password alone opens your account, and the recovery codes are void."
      submit="Turn off"
      danger
      done="The second factor is off."
      run={async () => {
        await knock('DELETE', '/session/totp', { password })
        await reread()
      }}
      onDone={onClose}
    >
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus
      />
    </ActionDialog>
  )
}
