import { expect, test } from 'vitest'
import { seededRandom } from '#electron/lib/random.ts'
import { guessRegion } from '#electron/core/people/imports/guess-region.ts'

/** Numbers of forms such as `06########`, their digits spread evenly. */
function numbers(forms: string, count = 60): string[] {
  const random = seededRandom(7)
  const form = forms.split(' ')
  return Array.from({ length: count }, (_, at) =>
    form[at % form.length]!.replaceAll('#', () => String(Math.floor(random() * 10))),
  )
}

test.each([
  ['DE', '0151######## 0160####### 0176########'],
  ['AT', '0664####### 0676####### 0699########'],
  ['GB', '07412###### 07533###### 07717###### 07811###### 07912######'],
  ['PL', '51####### 60####### 66####### 72####### 79####### 88#######'],
  ['BR', '1196####### 2198####### 3199#######'],
  ['TR', '0532####### 0544####### 0555#######'],
  ['RU', '8916####### 8903####### 8925#######'],
  ['HU', '0620####### 0630####### 0670#######'],
  ['US', '212-2##-#### 415-5##-#### 972-4##-#### 305-6##-#### 646-7##-####'],
])('finds %s by mobile numbers such as %s', async (region, forms) => {
  for (const home of ['FI', region])
    expect(await guessRegion(numbers(forms), home)).toMatchObject({ region, numbers: 60 })
})

test('takes the computer’s region among several that fit equally and says how many', async () => {
  for (const home of ['FR', 'NL']) {
    const guess = await guessRegion(numbers('0612######'), home)
    expect(guess.region).toBe(home)
    expect(guess.alike).toBeGreaterThan(0)
  }
})

test('lets numbers with a plus decide among several that fit equally', async () => {
  const mixed = [...numbers('0612######'), ...numbers('+31613######', 3), ...numbers('0032470######', 2)]
  expect(await guessRegion(mixed, 'FR')).toMatchObject({ region: 'NL', numbers: 60, valid: 60, alike: 0 })
})

test('takes the region that fits most rows', async () => {
  const mixed = [...numbers('0151########'), ...numbers('0620#######', 2), 'none', '12', '']
  expect(await guessRegion(mixed, 'US')).toMatchObject({ region: 'DE', numbers: 63 })
})

test('reads 49… as +49… where that makes mobile numbers', async () => {
  const { ownCodeIsPlus } = await guessRegion(
    [...numbers('0151########'), ...numbers('49151########', 3)],
    'US',
  )
  expect(ownCodeIsPlus).toBe(true)
})

test('reads 49… as an area code where other numbers lack their zero too', async () => {
  const withoutZero = [...numbers('151########'), ...numbers('4921######', 3)]
  expect(await guessRegion(withoutZero, 'DE')).toMatchObject({ region: 'DE', ownCodeIsPlus: false })
})

test('falls back to the computer’s region without a number to read', async () => {
  expect(await guessRegion(['', 'x', '+4915120007919'], 'AT')).toMatchObject({
    region: 'AT',
    numbers: 0,
    valid: 0,
  })
})
