/** Something to start from: a text and what to ask of it. */
export interface Example {
  /** What a person would call it. */
  readonly name: string;
  readonly text: string;
  readonly questions: readonly string[];
}

/** Texts as people write them. Most have a question that the text does not answer. */
export const examples: readonly [Example, ...Example[]] = [
  {
    name: 'Booking',
    text: 'Hi, could we book a table for six on Friday at half past seven? It is my father’s birthday, so something quiet would be lovely. The name is Ilinca Moraru.',
    questions: [
      'for how many people?',
      'which day?',
      'at what time?',
      'under what name?',
      'what is the occasion?',
      'what is the phone number?',
    ],
  },
  {
    name: 'Reminder',
    text: 'remind me to water the tomatoes every evening at 8, starting tomorrow',
    questions: ['what should be done?', 'at what time?', 'how often?', 'which day?', 'where?'],
  },
  {
    name: 'Order',
    text: 'I need 12 enamel mugs in dark green, the large ones, sent to 48 Harbour Street by 14 March. No more than $90 please.',
    questions: [
      'which product?',
      'how many?',
      'what color?',
      'where should it be shipped?',
      'by when is it needed?',
      'what is the maximum price?',
    ],
  },
  {
    name: 'Contact',
    text: 'New neighbour: Tobias Lindqvist, works as a piano tuner, reach him on 0171 555 0139 or tobias@lindqvist.example',
    questions: ['what is the name?', 'job title', 'phone number', 'email', 'what is the address?'],
  },
  {
    name: 'Expense',
    text: '€43.80 at Trattoria Lucia yesterday, lunch with the auditors, paid with the company card. Please charge it to Project Heron.',
    questions: [
      'how much was it?',
      'where was it spent?',
      'when was it?',
      'how was it paid?',
      'what was it for?',
      'which project is it for?',
    ],
  },
  {
    name: 'Delivery',
    text: 'Parcel for Mrs Okafor goes to 7 Mill Lane on Tuesday between 9 and noon. The bell is broken, so please knock. Tracking number RK48215530.',
    questions: [
      'who is the parcel for?',
      'delivery address',
      'when will it be delivered?',
      'what is the tracking number?',
      'what should the courier do?',
      'what is in the parcel?',
    ],
  },
  {
    name: 'Support',
    text: 'Since Monday the Photo Shelf app crashes on my tablet, it says "cannot open library". I have already tried restarting it. Please call Dana on 555-0162.',
    questions: [
      'which app is it?',
      'which device is it?',
      'what is the error message?',
      'since when?',
      'what was tried?',
      'order number',
    ],
  },
  {
    name: 'Taxi',
    text: 'Can someone pick me up from the north exit of Central Station at 22:15 and take me to 3 Orchard Close? Two of us and a big suitcase.',
    questions: [
      'where from?',
      'where to?',
      'at what time?',
      'how many passengers?',
      'what is the passenger’s name?',
    ],
  },
];
