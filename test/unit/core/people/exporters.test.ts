import { expect, test } from 'vitest'
import { columnsFor } from '#electron/contract/people/column-order.ts'
import { guessColumns } from '#electron/core/people/guess-columns.ts'
import { createPeopleOfRow } from '#electron/jobs/table/people-of-row.ts'
import { firstRows } from '#electron/lib/csv/sniff-table.ts'

/**
 * Headers of real exports (public documentation); people are invented. The program, its titles and rows; then which titles hold numbers
 * and emails, best first, and what others hold.
 */
const cases = `
Outlook
Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business City,Business Fax,Business Phone,Business Phone 2,Home Fax,Home Phone,Mobile Phone,Other Phone,Pager,Primary Phone,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,Notes
,Ana,,Lopez,,Example Org,,,,,,,,,,+1 201 555 0150,,,,ana@example.com,SMTP,Ana Lopez (ana@example.com),,,,note
,Ben,,Miller,,Example Org,,,,,,+1 201 555 0151,,,,,,,,ben@example.com,SMTP,Ben Miller (ben@example.com),,,,
phones: Mobile Phone, Primary Phone, Home Phone, Business Phone, Business Phone 2, Other Phone
emails: E-mail Address, E-mail 2 Address
others: First Name = first-name, Last Name = last-name, Notes = note

Google Contacts
First Name,Middle Name,Last Name,Phonetic First Name,Organization Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value
Ann,,Sample,,Example Ltd,,* myContacts,* Work,ann@example.com,,,Mobile,+1 202-555-0123,,
phones: Phone 1 - Value, Phone 2 - Value
emails: E-mail 1 - Value, E-mail 2 - Value
others: First Name = first-name, Last Name = last-name, Labels = tags, Notes = note

HubSpot
Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,WhatsApp Phone Number,Fax Number,Contact owner,Lead Status,Email Domain,Create Date,Associated Company
1000201,Ann,Sample,ann@example.com,+1 202 555 0101,+1 202 555 0131,,+1 202 555 0190,Ops Sample,New,example.com,2026-01-02,Example
phones: Mobile Phone Number, WhatsApp Phone Number, Phone Number
emails: Email
others: First Name = first-name, Last Name = last-name

Salesforce
Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Phone,Mobile,Fax,Asst. Phone,Email,Account Owner,Do Not Call,Email Opt Out,Fax Opt Out
Ms,Ann,Sample,CEO,Example,1 Main St,Fort Lee,(201) 555-0101,(201) 555-0131,(201) 555-0190,(201) 555-0199,ann@example.com,Ops,0,1,0
phones: Mobile, Phone
emails: Email
others: First Name = first-name, Last Name = last-name

Shopify
Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,Default Address City,Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags
'6940095564001,Ann,Sample,ann@example.com,yes,,1 Main St,Fort Lee,'07024,'+12015550190,'+12015550101,no,12.50,2,,no,vip
phones: Phone, Default Address Phone
emails: Email
others: First Name = first-name, Last Name = last-name, Note = note, Tags = tags

WooCommerce
user_email,billing_first_name,billing_last_name,billing_address_1,billing_address_2,billing_phone,shipping_first_name,shipping_last_name,shipping_phone
ann@example.com,Ann,Sample,1 Main St,Floor 2,+1 202 555 0101,Ben,Sample,+1 202 555 0102
phones: billing_phone, shipping_phone
emails: user_email
others: billing_first_name = first-name, billing_last_name = last-name

Shopify orders
Name,Email,Financial Status,Accepts Marketing,Lineitem name,Billing Name,Billing Country,Billing Phone,Notes,Id,Phone
#1001,ann@example.com,paid,yes,Mug,Ann Sample,US,(202) 555-0101,,5001234567890,
phones: Billing Phone, Phone
emails: Email
others: Billing Name = name, Billing Country = country, Notes = note

Mailchimp
Email Address,First Name,Last Name,Address,Phone Number,SMSPHONE,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,LATITUDE,LONGITUDE,LEID,EUID,NOTES,TAGS
ann@example.com,Ann,Sample,1 Main St,+1 202 555 0101,+12025550109,01/02,2,2026-01-02 10:00:00,192.0.2.1,2026-01-02 10:00:00,40.8509,-73.9701,500123401,abc123,,"VIP"
phones: SMSPHONE, Phone Number
emails: Email Address
others: First Name = first-name, TAGS = tags, NOTES = note

Klaviyo
Email,Klaviyo ID,First Name,Last Name,Organization,Title,Phone Number,Address,City,Zip code,Email Marketing Consent,SMS Consent,SMS Consent Timestamp,Last Open
ann@example.com,01HABC,Ann,Sample,,,+12025550101,1 Main St,Fort Lee,07024,SUBSCRIBED,SUBSCRIBED,2026-01-02T10:00:00Z,2026-02-02
phones: Phone Number
emails: Email
others: First Name = first-name, SMS Consent = ignore

a member list
Number,Name,Phone
20255501,Ann Sample,+1 202 555 0101
phones: Phone
emails:
others: Number = ignore, Name = name

a German list
Kundennummer,Vorname,Nachname,Telefon geschäftlich,Handynummer,Telefax,E-Mail-Adresse,Bemerkungen
1000201,Ann,Beispiel,030 23125010,0151 23125011,030 23125019,ann@example.com,
phones: Handynummer, Telefon geschäftlich
emails: E-Mail-Adresse
others: Vorname = first-name, Nachname = last-name, Kundennummer = ignore

a Spanish list
Nombre,Apellidos,Teléfono fijo,Teléfono móvil,Correo electrónico,Etiquetas
Ana,López,910 000 101,600 000 102,ana@example.com,vip
phones: Teléfono móvil, Teléfono fijo
emails: Correo electrónico
others: Nombre = first-name, Apellidos = last-name, Etiquetas = tags

a Mexican list
Nombre(s),Apellido Paterno,Apellido Materno,Celular
María José,Núñez,Peña,55 5123 4567
phones: Celular
emails:
others: Nombre(s) = first-name, Apellido Paterno = last-name, Apellido Materno = last-name

a French list
Prénom,Nom,Tél. portable,Tél. domicile,Courriel,Type de téléphone
Ana,Lopez,06 39 98 01 01,01 99 00 01 02,ana@example.com,mobile
phones: Tél. portable, Tél. domicile
emails: Courriel
others: Prénom = first-name, Nom = last-name

an Italian list
Nome,Cognome,Cellulare,Telefono ufficio,Posta elettronica
Ana,Lopez,312 345 6701,06 0000 0102,ana@example.com
phones: Cellulare, Telefono ufficio
emails: Posta elettronica
others: Nome = first-name, Cognome = last-name

a Portuguese list
Nome,Sobrenome,Telemóvel,Telefone residencial,E-mail,Observações
Ana,Lopes,912 345 601,21 000 0102,ana@example.com,
phones: Telemóvel, Telefone residencial
emails: E-mail
others: Sobrenome = last-name, Observações = note

a Dutch list
Voornaam,Achternaam,Mobiel nummer,Telefoon thuis,E-mailadres,Opmerkingen
Ana,Jansen,06 12345601,020 0000102,ana@example.com,
phones: Mobiel nummer, Telefoon thuis
emails: E-mailadres
others: Voornaam = first-name, Achternaam = last-name, Opmerkingen = note

a list of two phones with one title
Name,Phone,Phone,,City
Ana Lopez,+1 201 555 0190,+1 201 555 0290,x,Fort Lee
phones: Phone, Phone
emails:
others: Name = name

a CRM with opt-outs of each channel
Id,First Name,Last Name,Phone,MobilePhone,DoNotCall,HasOptedOutOfEmail,HasOptedOutOfFax
0035g00000A1,Ana,Lopez,(202) 555-0101,(202) 555-0111,0,0,1
phones: MobilePhone, Phone
emails:
others: DoNotCall = ignore, HasOptedOutOfEmail = ignore

a newsletter tool with numbers in a column named SMS
EMAIL,NOM,PRENOM,SMS,EMAIL_BLACKLISTED,SMS_BLACKLISTED
ana@example.com,Lopez,Ana,33612345678,FALSE,FALSE
phones: SMS
emails: EMAIL
others: EMAIL_BLACKLISTED = ignore, SMS_BLACKLISTED = ignore

a list with ids beside phones with a plus
Number,Contact number,id
20255501,+1 202 555 0101,20255511
20255502,+1 202 555 0102,20255512
phones: Contact number
emails:
others: Number = ignore

a log of calls, with the operator's own number
Datum,Rufnummer A,Rufnummer B
29.11.2026,03023125100,015123456789
29.11.2026,03023125100,03023125103
29.11.2026,03023125100,015123456781
phones: Rufnummer B
emails:
others: Rufnummer A = ignore

a class whose first column counts
Nr.,Name,Telefon Mutter,Telefon Vater,Hinweise
1,Ana,0151 23456789,,
2,Ben,,0151 23456780,keine SMS
phones: Telefon Mutter, Telefon Vater
emails:
others: Nr. = ignore, Name = name, Hinweise = note

DATEV
Name (Adressattyp natürl. Person),Vorname (Adressattyp natürl. Person),Telefon,Bemerkung (Telefon)
Lopez,Ana,0228 23125101,
phones: Telefon
emails:
others: Name (Adressattyp natürl. Person) = last-name, Vorname (Adressattyp natürl. Person) = first-name, Bemerkung (Telefon) = note

a form with questions
What's your first name?,And your last name?,Vor- und Nachname,Phone
Ana,Lopez,Ana Lopez,+1 201 555 0150
phones: Phone
emails:
others: What's your first name? = first-name, And your last name? = last-name, Vor- und Nachname = name
`
  .trim()
  .split('\n\n')
  .map((block) => {
    const [tool = '', header = '', ...lines] = block.split('\n')
    const [phones = [], emails = [], others = []] = lines
      .splice(-3)
      .map((line) => line.replace(/^\w+: ?/, '').split(', '))
    return { tool, header, rows: lines, phones, emails: emails.filter(Boolean), others }
  })

test.each(cases)('maps the columns of $tool', ({ header, rows, phones, emails, others }) => {
  const titles = header.split(',')
  const found = guessColumns(
    titles,
    rows.map((row) => row.split(',')),
    true,
  )
  const titlesFor = (field: 'phone' | 'email') => columnsFor(found, field).map((at) => titles[at])
  expect(titlesFor('phone')).toEqual(phones)
  expect(titlesFor('email')).toEqual(emails)
  for (const other of others) {
    const [title = ''] = other.split(' = ')
    expect(`${title} = ${found[titles.indexOf(title)]?.to}`).toBe(other)
  }
  // Only a class names several people in a row.
  const people = createPeopleOfRow(firstRows([header, ...rows].join('\n'), ',', 100, true))
  expect(people !== null).toBe(/vater/i.test(header))
})
