/** The signature lab: paste what came in, and it says whether it is genuine, or which mistake was made. */
import { useEffect, useState } from 'react'
import { TextArea, TextField } from '../../../../ui/fields.tsx'
import { PageHead, Panel } from '../../../../ui/panel.tsx'
import { Chip } from '../../../../ui/status.tsx'
import { isValid, type Verdict, verdictOf } from './verdict.ts'

export function Page() {
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [secret, setSecret] = useState('')
  const [computed, setComputed] = useState('')
  const verdict = useVerdict(body, headers, secret, computed)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }, { text: 'Signature lab' }]}
        title="Signature lab"
      >
        <p className="mt-1 max-w-220 text-sentence">
          Paste a request that your receiver got. Everything happens in this page: nothing is sent or kept.
        </p>
      </PageHead>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]">
        <Panel title="The request">
          <div className="grid gap-4">
            <TextArea label="Body, as it came" rows={8} mono value={body} onChange={setBody} />
            <TextArea
              label="Headers"
              hint="One to a line, such as signature-digest: t=…,v1=…"
              rows={5}
              mono
              value={headers}
              onChange={setHeaders}
            />
            <TextField
              label="Secret"
              hint="The whole text, with whsec_."
              mono
              value={secret}
              onChange={setSecret}
            />
            <TextField
              label="What your code computed (optional)"
              hint="In hexadecimal. It then tells what your code does differently."
              mono
              value={computed}
              onChange={setComputed}
            />
          </div>
        </Panel>
        <Panel title="Verdict">
          <div role="status" className="grid justify-items-start gap-3">
            {verdict === null ? (
              <p className="text-ink2">Body, headers and secret are needed.</p>
            ) : (
              <Said verdict={verdict} />
            )}
          </div>
        </Panel>
      </div>
    </>
  )
}

const titles: { readonly [C in Verdict['code']]: string } = {
  valid: 'Valid',
  valid_earlier_secret: 'Valid with an earlier secret',
  wrong_secret: 'Wrong secret',
  prefix_cut_off: 'whsec_ cut off',
  secret_decoded: 'Secret decoded',
  whole_body_signed: 'Whole body signed instead of data',
  data_written_again: 'data written again',
  t_altered: 't altered',
  unknown_versions: 'Only unknown versions',
  unreadable: 'Cannot be read',
  refused: 'Refused by the SDK',
}

function Said({ verdict }: { verdict: Verdict }) {
  return (
    <>
      <Chip
        mark={isValid(verdict) ? 'disc' : 'barred'}
        tone={isValid(verdict) ? 'clear' : 'danger'}
        text={titles[verdict.code]}
      />
      <p className="text-sentence">{verdict.text}</p>
    </>
  )
}

/** The last thing typed wins, however long an earlier one took. */
function useVerdict(body: string, headers: string, secret: string, computed: string): Verdict | null {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  useEffect(() => {
    let isLatest = true
    const isReady = body !== '' && headers !== '' && secret !== ''
    const asked = isReady
      ? verdictOf({ body, headers, secret, computed, now: new Date() })
      : Promise.resolve(null)
    void asked.then((found) => isLatest && setVerdict(found))
    return () => {
      isLatest = false
    }
  }, [body, headers, secret, computed])
  return verdict
}
