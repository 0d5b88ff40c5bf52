// The card goes from this page to Switchyard, with a token that may do nothing else, and becomes a token itself.

const form = document.querySelector('form.card')
const fault = form.querySelector('.fault')
const button = form.querySelector('button')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  fault.textContent = ''
  const problem = await tokenize()
  if (problem === null) return form.submit()
  fault.textContent = problem
  button.disabled = false
})

/** What is wrong, in words; null if the form has its token. */
async function tokenize() {
  const [month, year = ''] = form.querySelector('#expiry').value.split('/')
  const card = {
    number: form.querySelector('#number').value,
    exp_month: Number(month),
    exp_year: Number(year.trim().length === 2 ? `20${year.trim()}` : year),
    cvc: form.querySelector('#cvc').value,
  }
  const answer = await fetch(`${form.dataset.switchyard}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${form.dataset.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'card', card }),
  }).catch(() => null)
  if (answer === null) return 'The connection was lost. Nothing was taken. Please try again.'
  const body = await answer.json()
  if (!answer.ok) return body.errors?.[0] ? `The card: ${body.errors[0].detail}.` : body.detail
  form.elements.token.value = body.id
  return null
}
