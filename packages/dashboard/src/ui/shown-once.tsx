/** A secret that is shown only once: a token, a link, codes. It is stored nowhere else in the browser. */
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { CopyButton } from './values.tsx'

export function ShownOnce(props: {
  title: string
  intro: string
  text: string
  copy: string
  onClose: () => void
}) {
  return (
    <Dialog title={props.title} intro={props.intro} onClose={props.onClose}>
      <div className="grid justify-items-start gap-3 rounded-control bg-sunken p-3">
        <pre className="min-w-0 font-mono text-sentence break-all whitespace-pre-wrap">{props.text}</pre>
        <CopyButton text={props.text} label={props.copy} />
      </div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={props.onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
