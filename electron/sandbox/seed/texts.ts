/** Campaign names; a date is appended. */
export const campaignNames = [
  'Autumn preview',
  'Store opening',
  'Loyalty points reminder',
  'Delivery window notice',
  'Winter clearance',
  'Appointment reminders',
  'Members evening',
  'Weekend offer',
  'Service interruption notice',
  'Survey after purchase',
  'Birthday greetings',
  'Back in stock',
  'Terms update notice',
  'Spring catalogue',
  'Payment due reminder',
  'Route change notice',
  'Early access',
  'Renewal reminder',
] as const

/** Every tenant's templates: plain, beyond ASCII, short, and of several segments. */
export const templateTexts: readonly {
  name: string
  body: string
  variables: Record<string, 'string' | 'number'>
}[] = [
  {
    name: 'Order on its way',
    body: 'Hello {{name}}, your order {{ order_number }} is on its way and arrives {{day}}.',
    variables: { name: 'string', order_number: 'string', day: 'string' },
  },
  {
    name: 'Points balance',
    body: 'Hi {{name}}, you have {{points}} points. They are valid until the end of the month.',
    variables: { name: 'string', points: 'number' },
  },
  {
    name: 'Appointment',
    body: 'Dear {{name}}, we expect you at {{time}}. Reply STOP to receive no more reminders.',
    variables: { name: 'string', time: 'string' },
  },
  {
    name: 'Offer',
    body: '{{name}}, {{percent}} percent off everything this weekend. Reply STOP to opt out.',
    variables: { name: 'string', percent: 'number' },
  },
  {
    name: 'Long notice',
    body:
      'Dear {{name}}, the conditions of your account change on the first of next month. Nothing is asked of you if ' +
      'you agree. If you do not, you can end the account free of charge until then, by letter or in any branch. ' +
      'Your number with us is {{customer_number}}.',
    variables: { name: 'string', customer_number: 'number' },
  },
  {
    name: 'Begrüßung',
    body: 'Grüß Gott {{name}}, schön, dass Sie da sind! Ihr Gutschein: {{code}} 🎁',
    variables: { name: 'string', code: 'string' },
  },
]

export const givenNames = [
  'Amara',
  'Bruno',
  'Chiara',
  'Dmitri',
  'Elif',
  'Farid',
  'Greta',
  'Hana',
  'Ivo',
  'Jun',
  'Katarzyna',
  'Luca',
  'Mei',
  'Noor',
  'Oskar',
  'Priya',
  'Quentin',
  'Rosa',
  'Søren',
  'Tomás',
  'Uma',
  'Viktor',
  'Wanda',
  'Yusuf',
] as const

export const familyNames = [
  'Almeida',
  'Becker',
  'Cohen',
  'Dubois',
  'Eriksson',
  'Fontana',
  'García',
  'Haddad',
  'Ivanova',
  'Jansen',
  'Kowalski',
  'Lindqvist',
  "O'Brien",
  'Nakamura',
  'Okafor',
  'Petrov',
  'Rossi',
  'Schäfer',
  'Tanaka',
  'Weber',
] as const

/** Values of the tag `city`. */
export const cities = ['Berlin', 'Lyon', 'Porto', 'Leeds', 'Graz', 'Gent', 'Łódź', 'Turin'] as const

export const dncReasons = [
  'Replied STOP',
  'Asked by phone',
  'Complaint',
  'National registry',
  'Wrong number',
  'Asked by email',
] as const

/** Opt-out keywords. */
export const stopTexts = ['STOP', 'Stop', 'stop ', 'UNSUBSCRIBE', 'STOP ALL', 'Stopp', 'ARRET'] as const

/** Other inbound texts; some test what a console does with them. */
export const replyTexts = [
  'Thank you!',
  'Yes please',
  'No',
  'What time exactly?',
  'Who is this?',
  'Can I come tomorrow instead',
  '👍',
  'Please call me back',
  'I never ordered anything',
  'Is the stop at the station open?',
  'Danke, passt für mich',
  'merci beaucoup',
  'شكرا',
  '<b>bold</b> reply & more',
  '=1+1',
  'ok',
  'OK',
  'Where do I find my code?',
] as const

/** Mobile prefixes and the digits that follow. */
export const mobileRanges = [
  { prefix: '+49151', digits: 8 },
  { prefix: '+49170', digits: 7 },
  { prefix: '+33612', digits: 6 },
  { prefix: '+447400', digits: 6 },
  { prefix: '+351912', digits: 6 },
  { prefix: '+43664', digits: 7 },
  { prefix: '+48601', digits: 6 },
  { prefix: '+31612', digits: 6 },
] as const
